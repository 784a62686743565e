// Appended to a page of `lockstep run --trace=html` by html_trace.sh, with `checkPage(NAME)` behind it: presses keys, looks at what
// the page shows, and leaves "NAME: N checks passed" or the failures in an element of its own.
'use strict';
const failures = [];
let checks = 0;
function check(what, got, want) {
  ++checks;
  if (got !== want) {
    failures.push(`${what}: got '${got}', want '${want}'`);
  }
}
window.addEventListener('error', (event) => failures.push(`error: ${event.message}`));

const press = (key, target = document.body) => target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const by = (id) => document.getElementById(id);
const cell = (name) => document.querySelector(`[data-cell="${name}"]`);
const lanes = (name) => [0, 1, 2, 3].map((t) => cell(`${name}:${t}`).textContent).join(' ');
const sigma = (...addresses) => addresses.map((a) => document.querySelector(`[data-address="${a}"]`).textContent).join(' ');
const position = () => by('jump').value;
const plain = (node) => node.innerText.replace(/\s+/g, ' ').trim();
const highlighted = () => [...document.querySelectorAll('#program li.now')].map((li) => li.dataset.pc).join();
const rule = () => document.querySelector('#step strong').textContent;
const premises = (which) => [...document.querySelectorAll(`#rule > div > ul > li.${which}`)].map((li) => li.dataset.premise).join(' ');
const lastRule = () =>
  `${plain(document.querySelector('#last-rule p'))} | ${[...document.querySelectorAll('#last-rule h3')].map((h) => h.firstChild.textContent.trim()).join(' ')}`;
function jump(to) {
  press('/');
  document.activeElement.value = String(to);
  press('Enter', document.activeElement);
}

// What Fig. 7 of the CREV paper and the rules of Figs. 4 and 5 say about the program of Fig. 6.
function fig6() {
  check('opens at the start', position(), '0');
  check('Θ at the start', lanes('active'), '✓ ✓ ✓ ✓');
  check('v0 at the start', lanes('v0'), '* * * *');
  press('ArrowRight');
  check('v0', lanes('v0'), '0 1 1 0');
  check('rule of step 1', rule(), 'IT with LD');
  press('ArrowRight');
  check('v1', lanes('v1'), '1 0 0 1');
  check('v1 is marked as changed', cell('v1:2').className, 'changed');
  check('v0 is marked as read', cell('v0:2').className, 'read');
  press('ArrowRight');
  check('rule of bz', rule(), 'BD');
  check('the branch', lanes('taken'), 'F T T F');
  check('Θ before bz', lanes('before'), '✓ ✓ ✓ ✓');
  check('Θ after bz', lanes('active'), '✓ • • ✓');
  check('Π', plain(by('sync')), 'branch pc 2: bz v1, Done done ∅ resume at pc 18: Done: sync todo {1, 2}');
  check('Λ', plain(by('context')), '[]');
  check('BD holds', premises('yes'), 'BD.1 MV.2 BP.2 BD.3 BD.4 BD.5');
  check('no premise of BD fails', premises('no'), '');
  const others = document.querySelector('#rule details');
  check('BT and BF do not apply', others.querySelector('summary').textContent, 'not BT, BF');
  check('because of', [...others.querySelectorAll('li.no')].map((li) => li.dataset.premise).join(' '), 'BT.4 BF.4');
  check('the line is highlighted', highlighted(), '2');
  press('ArrowRight');
  check('v2', lanes('v2'), '4 * * 16');
  check('threads 1 and 2 are dimmed', cell('v2:1').className, 'idle');
  press('ArrowRight');
  check('rule of everywhere', rule(), 'EB');
  check('Θ in the block', lanes('active'), '✓ ✓ ✓ ✓');
  check('Π in the block', plain(by('sync')), '[]');
  check('Λ in the block', plain(by('context')),
    'mask Θ′ {0, 3} Π′ branch pc 2: bz v1, Done done ∅ resume at pc 18: Done: sync todo {1, 2}');
  press('PageDown');
  check('ten steps on', position(), '15');
  check('row 0 of the matrix', sigma(4, 5, 6, 7), '3 2 4 5');
  check('v5', lanes('v5'), '2 1 3 4');
  check('v6', lanes('v6'), '3 2 4 5');
  check('uniform branch', rule(), 'BT');
  check('its entry', plain(by('sync')), 'branch pc 15: bz v7, Loop done ∅ resume at pc 6: Loop: jmp_mask v8, Call todo ∅');
  press('PageUp');
  check('back before the store', sigma(4, 5, 6, 7), '2 1 3 4');
  check('back before v5', lanes('v5'), '* * * *');
  check('and Λ is as it was', plain(by('context')).startsWith('mask Θ′ {0, 3}'), true);
  jump(29);
  check('jump', position(), '29');
  check('v5, second call', lanes('v5'), '1 3 4 0');
  check('loaded cells are marked', document.querySelector('[data-address="17"]').className, 'read');
  press('ArrowRight');
  press('ArrowRight');
  check('row 3 of the matrix', sigma(16, 17, 18, 19), '2 4 5 1');
  check('stored cells are marked', document.querySelector('[data-address="16"]').className, 'changed');
  press('ArrowLeft');
  check('row 3 before', sigma(16, 17, 18, 19), '1 3 4 0');
  press(']');
  check('the next change of Θ', position(), '35');
  check('rule of end_everywhere', rule(), 'EE');
  check('Θ after the block', lanes('active'), '✓ • • ✓');
  press('ArrowRight');
  check('the last store', sigma(0, 1, 2, 3), '1 1 1 1');
  press(']');
  check('rule of the first sync', rule(), 'SS');
  check('Θ of the other arm', lanes('active'), '• ✓ ✓ •');
  check('Π keeps who is done', plain(by('sync')), 'branch pc 2: bz v1, Done done {0, 3} resume at pc 18: Done: sync todo ∅');
  press(']');
  check('rule of the second sync', rule(), 'SI.sync');
  check('Θ is whole again', lanes('active'), '✓ ✓ ✓ ✓');
  check('Π is empty', plain(by('sync')), '[]');
  press('[');
  press('[');
  check('back to the block\'s end', position(), '35');
  press('End');
  check('the end', position(), '39');
  check('it halts', plain(by('next')), 'The program has halted.');
  check('Σ at the end', sigma(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19),
    '1 1 1 1 3 2 4 5 1 5 6 1 2 3 1 7 2 4 5 1');
  press('ArrowRight');
  check('nothing behind the end', position(), '39');
  press('Home');
  check('Home', position(), '0');
  check('Σ at the start', sigma(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19),
    '0 1 1 0 2 1 3 4 1 5 6 1 2 3 1 7 1 3 4 0');
  press('ArrowLeft');
  check('nothing before the start', position(), '0');
  const call = document.querySelector('#program li[data-pc="8"]');
  call.click();
  check('first visit of Call', position(), '8');
  check('v3', lanes('v3'), '4 4 4 4');
  call.click();
  check('second visit of Call', position(), '27');
  check('v3', lanes('v3'), '16 16 16 16');
  call.click();
  check('there is no third', position(), '27');
  call.dispatchEvent(new MouseEvent('click', { shiftKey: true, bubbles: true }));
  check('the visit before', position(), '8');
  by('slider').value = '17';
  by('slider').dispatchEvent(new Event('input'));
  check('the slider', `${position()} ${rule()}`, '17 JP');
  location.hash = '#step=12';
  return new Promise((done) => setTimeout(() => {
    check('a step in the address', `${position()} ${rule()}`, '12 IT with ST');
    jump(36);
    press(' ');
    setTimeout(() => {
      check('playing ends at the end', position(), '39');
      check('and stops', by('play').textContent, '▶ play');
      check('the address follows', location.hash, '#step=39');
      done();
    }, 5000);
  }, 100));
}

function hostile() {
  press('End');
  const first = document.querySelector('#program li');
  check('the comment is only text', first.title, 'line 1: a = 9223372036854775807 // \x3c/script>\x3cscript>document.title="no"\x3c/script>\x3c!--');
  check('nothing of it ran', document.title, 'hostile.mus – Lockstep trace');
  check('2^63-1', lanes('a'), Array(4).fill('9223372036854775807').join(' '));
  check('-2^63', lanes('b'), Array(4).fill('-9223372036854775808').join(' '));
  check('2^53+1', lanes('c'), Array(4).fill('9007199254740993').join(' '));
  check('poison', lanes('d'), '? 0 1 2');
  check('the highest address', sigma('9223372036854775807'), '5');
  check('poison in a cell', sigma('100'), '?');
  check('thread 0 comes last', sigma('0'), '0');
}

function stuck() {
  check('the reason is told at the end', plain(by('next')).startsWith('Next:'), true);
  press('End');
  check('one step', position(), '1');
  check('the reason', plain(by('next')).startsWith('Stuck: no rule applies: '), true);
  check('candidates', [...document.querySelectorAll('#rule > div > h3')].map((h) => h.firstChild.textContent.trim()).join(' '), 'SS SI.sync');
  check('the verdict', plain(document.querySelector('#rule > p')), 'No rule applies at pc 1: sync');
  check('what fails', premises('no'), 'SS.2 SI.sync.2');
  check('the rule of the last executed step', lastRule(), 'The last executed step, 1: pc 0: a = 1 | IT CT');
}

function undefinedEnding() {
  press('End');
  check('two steps', position(), '2');
  const told = plain(by('next'));
  check('the reason', told.startsWith('Undefined behaviour in thread 0: '), true);
  check('is told once', told.split('ndefined').length, 2);
  const verdict = plain(document.querySelector('#rule > p'));
  check('the verdict', verdict, 'Undefined behaviour: a premise that must hold fails at pc 2: b = a / 0');
  check('the rule of the last executed step', lastRule(), 'The last executed step, 2: pc 1: a = 2 | IT CT');
  press('ArrowLeft');
  check('only there', document.querySelector('#last-rule'), null);
}

function wide() {
  press('End');
  check('of 301 variables in 1024 threads few are elements', document.querySelectorAll('td').length < 5000, true);
  check('thread 0', cell('a:0').textContent, '0');
  check('thread 64 is not shown', cell('a:64'), null);
  const next = () => document.querySelector('[aria-label="next threads"]').click();
  for (let i = 0; i < 15; ++i) {
    next();
  }
  check('thread 1023', cell('a:1023').textContent, '3069');
  check('Θ in thread 1023', cell('active:1023').textContent, '✓');
  next();
  check('no more threads', cell('a:1023').textContent, '3069');
  document.querySelector('[aria-label="previous threads"]').click();
  check('thread 959', cell('a:959').textContent, '2877');
}

// Step 1 sets i, then iterations of five steps add i = 0, 1, 2, … to each cell.
function long() {
  check('the page says where it stops', plain(by('notes')).includes('the first 100000 steps of 1000003'), true);
  press('End');
  check('the last recorded step', position(), '100000');
  check('i', lanes('i'), '20000 20000 20000 20000');
  check('Σ: 0 + 1 + … + 19999', sigma(0, 3), '199990000 199990000');
  jump(50001);
  check('Σ: 0 + 1 + … + 9999', sigma(0, 3), '49995000 49995000');
  press('Home');
  check('Σ at the start', sigma(0, 3), '0 0');
}

async function checkPage(name) {
  try {
    await ({ fig6, hostile, stuck, undefined: undefinedEnding, wide, long })[name]();
  } catch (error) {
    failures.push(String(error));
  }
  const result = document.createElement('pre');
  result.textContent = failures.length === 0 ? `RESULT ${name}: ${checks} checks passed` : failures.map((f) => `FAILURE ${name}: ${f}`).join('\n');
  document.body.append(result);
}
