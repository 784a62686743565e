#include "interpreter/observe/html/page.hpp"

namespace lockstep::html {

const std::string_view body = R"html(<header>
  <h1 id="title">Lockstep trace</h1>
  <p id="summary"></p>
  <p id="notes" role="status"></p>
  <noscript><p>This page needs JavaScript to show the trace. It loads nothing from anywhere.</p></noscript>
</header>
<nav aria-label="Steps">
  <button id="first" title="to the start (Home)" aria-label="to the start">|◀</button>
  <button id="back" title="one step back (←)" aria-label="one step back">◀</button>
  <button id="play" title="play, pause (Space)" aria-label="play">▶ play</button>
  <button id="forward" title="one step forward (→)" aria-label="one step forward">▶</button>
  <button id="last" title="to the end (End)" aria-label="to the end">▶|</button>
  <input id="slider" type="range" min="0" value="0" aria-label="steps executed">
  <label>step <input id="jump" type="number" min="0" value="0"></label> of <span id="total"></span>
</nav>
<main>
  <section id="program-part" aria-label="Program">
    <h2>Program P</h2>
    <ol id="program"></ol>
  </section>
  <section id="state-part">
    <section id="step-part" aria-label="Step">
      <p id="step"></p>
      <p id="next"></p>
    </section>
    <section id="lanes-part" aria-label="Threads">
      <h2>Threads: Θ and β <span id="lane-pager" class="pager"></span> <span id="variable-pager" class="pager"></span></h2>
      <div class="scroll"><table id="lanes"></table></div>
    </section>
    <section id="rule-part" aria-label="Rule"><h2>Rule</h2><div id="rule"></div></section>
    <section aria-label="Sync stack"><h2>Sync stack Π</h2><div id="sync" class="stack scroll"></div></section>
    <section aria-label="Context stack"><h2>Context stack Λ</h2><div id="context" class="stack scroll"></div></section>
    <section id="memory-part" aria-label="Shared memory">
      <h2>Shared memory Σ <span id="memory-pager" class="pager"></span></h2>
      <div class="scroll"><table id="memory"></table></div>
    </section>
  </section>
</main>
<footer>
  <kbd>←</kbd> <kbd>→</kbd> one step · <kbd>PgUp</kbd> <kbd>PgDn</kbd> ten · <kbd>Home</kbd> <kbd>End</kbd> · <kbd>[</kbd> <kbd>]</kbd>
  previous or next change of Θ · <kbd>/</kbd> go to a step · <kbd>Space</kbd> play · click a line of the program for its next visit
  (with <kbd>Shift</kbd> the one before). <code>*</code> uninitialised, <code>?</code> poison.
</footer>
)html";

}  // namespace lockstep::html
