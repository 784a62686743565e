#include "interpreter/observe/html/page.hpp"

namespace lockstep::html {

const std::string_view script = R"js('use strict';
(() => {
  // A position p counts executed steps: the page shows the state after p steps. Lines of the trace: a header, answers of
  // premises (each told once), steps, the ending. Values are numbers, strings (beyond 2^53, or "poison") or null.
  const lines = document.getElementById('trace').textContent.split('\n').filter((line) => line !== '');
  const rules = JSON.parse(document.getElementById('rules').textContent);
  const header = JSON.parse(lines[0]);
  const ending = JSON.parse(lines[lines.length - 1]);
  const base = header.initial.step;

  const stepLines = [];        // position p - 1 → line
  const pcs = [];              // position p - 1 → pc
  const turns = [];            // positions whose step changed Θ
  const answers = [];          // candidates, by number
  const locals = new Map();    // variable → thread → history
  const shared = new Map();    // address → history
  const lanesShown = 64, variablesShown = 64, rowsShown = 24, linesShown = 400;

  // A history is what one place has held: values[i] from position at[i] on. The state at any position is found by binary
  // search, so that a jump costs the same in either direction.
  function record(map, key, position, value) {
    let history = map.get(key);
    if (history === undefined) {
      map.set(key, history = { at: [], values: [] });
    }
    const last = history.at.length - 1;
    if (last >= 0 && history.at[last] === position) {
      history.values[last] = value;  // the later thread wins
    } else {
      history.at.push(position);
      history.values.push(value);
    }
  }
  function valueAt(history, position) {
    if (history === undefined) {
      return null;
    }
    let low = 0, high = history.at.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (history.at[middle] <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low === 0 ? null : history.values[low - 1];
  }

  function members(set) {
    const threads = [];
    for (const [first, last] of set) {
      for (let t = first; t <= last; ++t) {
        threads.push(t);
      }
    }
    return threads;
  }
  const contains = (set, thread) => set.some(([first, last]) => first <= thread && thread <= last);

  const ascending = header.order.every((t, i) => t === i);
  const rank = new Map(header.order.map((t, i) => [t, i]));
  function recordWrites(writes, position) {
    for (const write of writes) {
      const threads = members(write.threads);
      if (write.variable !== undefined) {
        if (!locals.has(write.variable)) {
          locals.set(write.variable, new Map());
        }
        threads.forEach((t, i) => record(locals.get(write.variable), t, position, write.values[i]));
        continue;
      }
      const turn = threads.map((_, i) => i);
      if (!ascending) {
        turn.sort((a, b) => rank.get(threads[a]) - rank.get(threads[b]));
      }
      turn.forEach((i) => record(shared, String(write.cells[i]), position, write.values[i]));
    }
  }

  recordWrites(header.initial.locals, 0);
  for (const run of header.initial.shared) {
    run.values.forEach((value, i) => record(shared, String(BigInt(run.base) + BigInt(i)), 0, value));
  }
  for (const line of lines.slice(1, -1)) {
    const event = JSON.parse(line);
    if (event.step === undefined) {
      answers[event.asked] = event.candidates;
      continue;
    }
    stepLines.push(line);
    pcs.push(event.pc);
    if (JSON.stringify(event.active) !== JSON.stringify(event.active_after)) {
      turns.push(stepLines.length);
    }
    recordWrites(event.writes, stepLines.length);
  }
  const end = stepLines.length;
  const complete = base + end === ending.steps;

  const byId = (id) => document.getElementById(id);
  function element(tag, properties, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(properties || {})) {
      if (key === 'class') {
        node.className = value;
      } else if (key.startsWith('on')) {
        node.addEventListener(key.slice(2), value);
      } else if (value !== undefined) {
        node.setAttribute(key, value);
      }
    }
    node.append(...children);
    return node;
  }

  const shown = (value) => value === null ? '*' : value === 'poison' ? '?' : String(value);
  function setText(set, most = 24) {
    const ranges = set.slice(0, most).map(([a, b]) => a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a}–${b}`);
    return set.length === 0 ? '∅' : `{${ranges.join(', ')}${set.length > most ? ', …' : ''}}`;
  }
  function placeText(pc) {
    const statement = header.program[pc];
    return statement === undefined ? `pc ${pc}, behind the last instruction`
      : `pc ${pc}: ${statement.labels.map((l) => l + ': ').join('')}${statement.instruction}`;
  }

  // Windows into what may be wide: [first, first + size) of count items, with buttons where there are more.
  const windows = { lane: 0, variable: 0, memory: 0 };
  function pager(name, what, size, count) {
    const first = Math.max(0, Math.min(windows[name], count - 1));
    windows[name] = first - first % size;
    const box = byId(`${name}-pager`);
    if (count <= size) {
      box.replaceChildren();
    } else {
      const move = (by) => element('button', { 'aria-label': `${by < 0 ? 'previous' : 'next'} ${what}`, onclick: () => {
        windows[name] = Math.max(0, Math.min(count - 1, windows[name] + by));
        render();
      } }, by < 0 ? '‹' : '›');
      box.replaceChildren(move(-size), ` ${what} ${windows[name]}–${Math.min(count, windows[name] + size) - 1} of ${count} `, move(size));
    }
    return windows[name];
  }

  let position = 0;
  let step = null;              // the event that led to the position, null at the start
  let state = header.initial;   // Θ, Π, Λ, pc after it
  let written = new Map();      // what it wrote: variable → set of threads
  let touched = { read: new Set(), written: new Set() };  // addresses

  let programFrom = -1;
  function renderProgram() {
    const current = step === null ? -1 : step.pc;
    const about = Math.max(current, 0);
    const list = byId('program');
    if (programFrom < 0 || about < programFrom || about >= programFrom + linesShown) {
      programFrom = header.program.length <= linesShown ? 0 : Math.max(0, about - linesShown / 2);
      list.replaceChildren(...header.program.slice(programFrom, programFrom + linesShown).map((statement) =>
        element('li', { 'data-pc': statement.pc, title: `line ${statement.line}: ${statement.source.trim()}`,
          onclick: (click) => visit(statement.pc, click.shiftKey) },
        ...statement.labels.map((label) => element('span', { class: 'label' }, label + ':')),
        element('span', { class: 'mark' }), element('span', { class: 'pc' }, String(statement.pc)), statement.instruction)));
    }
    for (const item of list.children) {
      const pc = Number(item.dataset.pc);
      item.classList.toggle('now', pc === current);
      item.toggleAttribute('aria-current', pc === current);
      item.querySelector('.mark').textContent = pc === state.next && !(complete && position === end && ending.ending === 'halted') ? '→' : '';
    }
    const now = list.querySelector('.now');
    const part = byId('program-part');
    if (now && (now.offsetTop < part.scrollTop || now.offsetTop + now.offsetHeight > part.scrollTop + part.clientHeight)) {
      part.scrollTop = now.offsetTop - part.clientHeight / 2;
    }
  }

  function renderStep() {
    if (step === null) {
      byId('step').replaceChildren('At the start: nothing has run.');
    } else {
      const line = header.program[step.pc].line;
      byId('step').replaceChildren(`Step ${base + position}, line ${line}, rule `,
        element('strong', {}, step.root ? `${step.rule} with ${step.root}` : step.rule), ': ', element('code', {}, placeText(step.pc)));
    }
    const words = { halted: 'The program has halted.', stuck: 'Stuck: ', error: '', limit: 'Ended: ' };
    if (position < end) {
      byId('next').replaceChildren('Next: ', element('code', {}, placeText(state.next)));
    } else if (!complete) {
      byId('next').replaceChildren(`The page ends here, the run went on: it executed ${ending.steps} steps.`);
    } else {
      const told = words[ending.ending] + ending.reason;
      byId('next').replaceChildren(told[0].toUpperCase() + told.slice(1));
    }
  }

  function renderLanes() {
    const first = pager('lane', 'threads', lanesShown, header.threads);
    const threads = [];
    for (let t = first; t < Math.min(header.threads, first + lanesShown); ++t) {
      threads.push(t);
    }
    const active = new Set(members(state.active_after));
    const ran = step === null ? null : new Set(members(step.active));
    const row = (name, cells, className) => element('tr', { class: className || '' }, element('th', { scope: 'row' }, name), ...cells);
    const marks = (set, id) => threads.map((t) =>
      element('td', { class: set.has(t) ? 'on' : 'idle', 'data-cell': `${id}:${t}` }, set.has(t) ? '✓' : '•'));
    const rows = [];
    if (ran !== null) {
      rows.push(row('Θ before', marks(ran, 'before')));
    }
    if (step !== null && step.taken !== undefined) {
      const taken = new Set(members(step.taken));
      rows.push(row('taken', threads.map((t) =>
        element('td', { class: ran.has(t) ? '' : 'idle', 'data-cell': `taken:${t}` }, !ran.has(t) ? '•' : taken.has(t) ? 'T' : 'F'))));
    }
    rows.push(row('Θ', marks(active, 'active'), 'above-values'));
    const firstVariable = pager('variable', 'variables', variablesShown, header.variables.length);
    const reads = new Map(step === null ? [] : step.reads.filter((r) => r.variable).map((r) => [r.variable, r.threads]));
    for (const name of header.variables.slice(firstVariable, firstVariable + variablesShown)) {
      const histories = locals.get(name) || new Map();
      rows.push(row(name, threads.map((t) => {
        const changed = written.has(name) && contains(written.get(name), t);
        const read = reads.has(name) && contains(reads.get(name), t);
        const classes = [changed ? 'changed' : read ? 'read' : '', active.has(t) ? '' : 'idle'].join(' ').trim();
        return element('td', { class: classes, 'data-cell': `${name}:${t}` }, shown(valueAt(histories.get(t), position)));
      })));
    }
    byId('lanes').replaceChildren(
      element('thead', {}, element('tr', {}, element('th', {}, 'thread'), ...threads.map((t) => element('th', { scope: 'col' }, String(t))))),
      element('tbody', {}, ...rows));
  }

  function entryBox(entry, className) {
    const pair = (name, value) => [element('dt', {}, name), element('dd', {}, value)];
    return element('div', { class: className || '' }, element('dl', { class: 'fields' }, ...pair('branch', placeText(entry.branch_pc)),
      ...pair('done', setText(entry.done)), ...pair('resume at', placeText(entry.resume_at)), ...pair('todo', setText(entry.todo))));
  }
  function entries(list, depth, className) {
    const boxes = list.slice().reverse().map((entry) => entryBox(entry, className));
    if (depth > list.length) {
      boxes.push(element('p', { class: 'quiet' }, `… ${depth - list.length} more below`));
    }
    return boxes.length > 0 ? boxes : [element('span', { class: 'empty' }, '[]')];
  }
  function renderStacks() {
    byId('sync').replaceChildren(...entries(state.sync, state.sync_depth));
    const frames = state.context.slice().reverse().map((frame) => element('div', {}, element('dl', { class: 'fields' },
      element('dt', {}, 'mask Θ′'), element('dd', {}, setText(frame.mask))),
    element('span', { class: 'quiet' }, 'Π′ '), ...entries(frame.sync, frame.sync_depth, 'nested')));
    if (state.context_depth > state.context.length) {
      frames.push(element('p', { class: 'quiet' }, `… ${state.context_depth - state.context.length} more below`));
    }
    byId('context').replaceChildren(...(frames.length > 0 ? frames : [element('span', { class: 'empty' }, '[]')]));
  }

  // Σ in rows of aligned addresses, only those rows in which something is ever held.
  const rowCells = header.threads >= 4 && header.threads <= 16 ? header.threads : 16;
  const rowKeys = new Set();
  for (const address of shared.keys()) {
    rowKeys.add(BigInt(address) / BigInt(rowCells));
  }
  const memoryRows = Array.from(rowKeys).sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
  const memoryRowOf = (address) => memoryRows.indexOf(BigInt(address) / BigInt(rowCells));
  function renderMemory() {
    const first = pager('memory', 'rows', rowsShown, memoryRows.length);
    byId('memory').replaceChildren(element('tbody', {}, ...memoryRows.slice(first, first + rowsShown).map((key) => {
      const start = key * BigInt(rowCells);
      const cells = [];
      for (let i = 0; i < rowCells; ++i) {
        const address = String(start + BigInt(i));
        const history = shared.get(address);
        const className = touched.written.has(address) ? 'changed' : touched.read.has(address) ? 'read' : '';
        cells.push(element('td', { class: className, 'data-address': address, title: `Σ(${address})` },
          history === undefined ? '' : shown(valueAt(history, position))));
      }
      return element('tr', {}, element('th', { scope: 'row' }, String(start)), ...cells);
    })));
    if (memoryRows.length === 0) {
      byId('memory').replaceChildren(element('tbody', {}, element('tr', {}, element('td', { class: 'empty' }, 'empty'))));
    }
  }

  function ruleBlock(name) {
    const rule = rules.rules[name];
    return [element('h3', {}, `${name} `, element('span', { class: 'quiet' }, rule.figure + (rule.errata ? `, repaired by ${rule.errata}` : ''))),
      element('code', {}, rule.statement)];
  }
  function candidateBlock(candidate) {
    const names = candidate.root === candidate.rule ? [candidate.rule] : [candidate.rule, candidate.root];
    return element('div', {}, ...names.flatMap(ruleBlock), element('ul', {}, ...candidate.premises.map(([rule, number, holds, detail]) =>
      element('li', { class: holds ? 'yes' : 'no', 'data-premise': `${rule}.${number}` },
        element('span', { class: 'quiet' }, `${rule}.${number} `), rules.premises[`${rule}.${number}`] + (detail ? ` (${detail})` : '')))));
  }
  function renderRule() {
    const verdict = { stuck: 'No rule applies at ', error: 'Undefined behaviour: a premise that must hold fails at ' }[ending.ending];
    const failed = complete && position === end && verdict !== undefined && (ending.asked !== undefined || ending.candidates !== undefined);
    const asked = failed ? ending : step;
    if (asked === null) {
      byId('rule').replaceChildren(element('span', { class: 'empty' }, 'No rule has run yet.'));
      return;
    }
    const all = asked.candidates || answers[asked.asked];
    const main = failed ? all : all.filter((c) => c.applies);
    const others = failed ? [] : all.filter((c) => !c.applies);
    const open = byId('rule').querySelector('details[open]') !== null;
    byId('rule').replaceChildren(...(failed ? [element('p', {}, verdict, element('code', {}, placeText(ending.pc)))] : []), ...main.map(candidateBlock));
    if (others.length > 0) {
      const details = element('details', {}, element('summary', {}, `not ${others.map((c) => c.root).join(', ')}`), ...others.map(candidateBlock));
      details.open = open;
      byId('rule').append(details);
    }
    if (failed && step !== null) {
      const last = (step.candidates || answers[step.asked]).filter((c) => c.applies);
      byId('rule').append(element('div', { id: 'last-rule' },
        element('p', {}, `The last executed step, ${base + position}: `, element('code', {}, placeText(step.pc))), ...last.map(candidateBlock)));
    }
  }

  function render() {
    renderStep();
    renderProgram();
    renderLanes();
    renderStacks();
    renderMemory();
    renderRule();
    byId('slider').value = String(position);
    byId('slider').setAttribute('aria-valuetext', `${base + position} of ${base + end}`);
    byId('jump').value = String(base + position);
  }

  let hashTimer = 0;
  function go(to) {
    position = Math.max(0, Math.min(end, to));
    step = position === 0 ? null : JSON.parse(stepLines[position - 1]);
    state = step === null ? header.initial : step;
    written = new Map();
    touched = { read: new Set(), written: new Set() };
    for (const write of step === null ? [] : step.writes) {
      if (write.variable !== undefined) {
        written.set(write.variable, write.threads);
        const index = header.variables.indexOf(write.variable);
        windows.variable = index - index % variablesShown;
      } else {
        write.cells.forEach((address) => touched.written.add(String(address)));
      }
    }
    for (const read of step === null ? [] : step.reads) {
      (read.cells || []).forEach((address) => touched.read.add(String(address)));
    }
    for (const address of [...touched.read, ...touched.written].slice(0, 1)) {
      windows.memory = Math.max(0, memoryRowOf(address));
    }
    render();
    clearTimeout(hashTimer);
    hashTimer = setTimeout(() => history.replaceState(null, '', `#step=${base + position}`), 300);
  }

  function visit(pc, backwards) {
    const found = backwards ? pcs.lastIndexOf(pc, position - 2) : pcs.indexOf(pc, position);
    if (found >= 0 && !(backwards && position < 2)) {
      go(found + 1);
    }
  }
  function turn(forwards) {
    const found = forwards ? turns.find((p) => p > position) : turns.filter((p) => p < position).pop();
    if (found !== undefined) {
      go(found);
    }
  }

  let timer = 0;
  function play(on) {
    clearInterval(timer);
    timer = on && position < end ? setInterval(() => {
      go(position + 1);
      if (position === end) {
        play(false);
      }
    }, 350) : 0;
    byId('play').textContent = timer ? '❚❚ pause' : '▶ play';
    byId('play').setAttribute('aria-label', timer ? 'pause' : 'play');
  }
  function fromHash() {
    const match = /^#step=(\d+)$/.exec(location.hash);
    return match ? Number(match[1]) - base : 0;
  }

  const keys = {
    ArrowLeft: () => go(position - 1), ArrowRight: () => go(position + 1), Home: () => go(0), End: () => go(end),
    PageUp: () => go(position - 10), PageDown: () => go(position + 10), '[': () => turn(false), ']': () => turn(true),
    '/': () => { byId('jump').focus(); byId('jump').select(); },
    ' ': () => play(!timer),
  };
  document.addEventListener('keydown', (event) => {
    const typing = event.target === byId('jump') && event.key !== '/';
    const pressing = event.key === ' ' && /^(BUTTON|SUMMARY)$/.test(event.target.tagName);
    if (keys[event.key] && !typing && !pressing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  byId('jump').addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      go(Number(byId('jump').value) - base);
      byId('jump').blur();
    }
  });
  byId('jump').addEventListener('change', () => go(Number(byId('jump').value) - base));
  byId('slider').addEventListener('input', () => go(Number(byId('slider').value)));
  byId('first').addEventListener('click', keys.Home);
  byId('back').addEventListener('click', keys.ArrowLeft);
  byId('forward').addEventListener('click', keys.ArrowRight);
  byId('last').addEventListener('click', keys.End);
  byId('play').addEventListener('click', () => play(!timer));
  window.addEventListener('hashchange', () => go(fromHash()));

  const file = header.file.split('/').pop();
  document.title = `${file} – Lockstep trace`;
  document.body.classList.toggle('wide', header.threads > 16);
  byId('title').textContent = file;
  byId('summary').textContent = `${header.threads} threads · ${header.semantics} · ${ending.ending} after ${ending.steps} steps`;
  byId('total').textContent = String(base + end);
  byId('slider').max = String(end);
  byId('jump').max = String(base + end);
  const notes = [];
  if (!complete) {
    notes.push(`The page holds the first ${end} steps of ${ending.steps - base}: it has reached the limit of what a page records. `);
  }
  if (header.initial.shared_left_out) {
    notes.push(`${header.initial.shared_left_out} cells of the initial Σ are left out. `);
  }
  byId('notes').textContent = notes.join('');
  go(fromHash());
})();
)js";

}  // namespace lockstep::html
