#include "interpreter/observe/html/page.hpp"

namespace lockstep::html {

const std::string_view style = R"css(:root {
  color-scheme: light dark;
  --ground: #fbfbf9; --panel: #ffffff; --text: #1d2430; --faint: #616b7a; --line: #d9dde3;
  --accent: #0b5fb0; --now: #d8e9fb; --changed: #ffe39c; --read: #d5f0e0; --bad: #b3261e; --good: #1c7a3d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181e; --panel: #1b2129; --text: #e3e7ec; --faint: #98a3b1; --line: #343d49;
    --accent: #7db9f5; --now: #1d3e60; --changed: #6a5209; --read: #1d4a34; --bad: #ff8a80; --good: #7ddb9b;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 14px/1.45 system-ui, "DejaVu Sans", sans-serif; }
header { padding: 0.6rem 1rem 0; }
h1 { display: inline; font-size: 1.15rem; margin: 0 1rem 0 0; }
h2 { font-size: 0.8rem; margin: 0 0 0.4rem; color: var(--faint); font-weight: 600; }
header p { display: inline; margin: 0; color: var(--faint); }
#notes { display: block; color: var(--bad); }
code, table, #program { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
nav { position: sticky; top: 0; z-index: 1; display: flex; gap: 0.4rem; align-items: center; padding: 0.5rem 1rem;
  background: var(--ground); border-bottom: 1px solid var(--line); }
nav #slider { flex: 1; min-width: 6rem; accent-color: var(--accent); }
nav #jump { width: 6rem; }
button, input { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: 0.15rem 0.55rem; }
button { cursor: pointer; }
#play { min-width: 5.5rem; }
button:focus-visible, input:focus-visible, li:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
main { display: grid; grid-template-columns: minmax(15rem, 22rem) 1fr; gap: 0.8rem; padding: 0.8rem 1rem; align-items: start; }
section section, #program-part { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.6rem 0.8rem; min-width: 0; }
#state-part { display: grid; grid-template-columns: 1fr 1fr; gap: 0.8rem; min-width: 0; align-items: stretch; }
#step-part, #memory-part, .wide #lanes-part, .wide #rule-part { grid-column: 1 / -1; }
#program-part { position: sticky; top: 3.6rem; max-height: calc(100vh - 4.4rem); overflow: auto; }
@media (max-width: 60rem) {
  main, #state-part { grid-template-columns: 1fr; }
  #program-part { position: static; max-height: 20rem; }
}
.scroll { overflow: auto; max-height: 26rem; }
#program { list-style: none; margin: 0; padding: 0; }
#program li { display: grid; grid-template-columns: 1.2rem 2.6rem 1fr; white-space: pre; cursor: pointer; border-radius: 3px; padding: 0 0.2rem; }
#program li.now { background: var(--now); font-weight: 600; }
#program .label { grid-column: 3; color: var(--accent); }
#program .pc { color: var(--faint); text-align: right; padding-right: 0.6rem; font-weight: 400; }
#program .mark { color: var(--accent); }
table { border-collapse: collapse; }
th, td { padding: 0.1rem 0.5rem; text-align: right; white-space: nowrap; }
th { font: 600 13px system-ui, "DejaVu Sans", sans-serif; color: var(--faint); }
tbody th { text-align: left; position: sticky; left: 0; background: var(--panel); }
thead th { position: sticky; top: 0; background: var(--panel); border-bottom: 1px solid var(--line); }
tr.above-values td, tr.above-values th { border-bottom: 1px solid var(--line); }
td.idle { color: var(--faint); opacity: 0.6; }
td.changed { background: var(--changed); font-weight: 600; opacity: 1; color: inherit; }
td.read { background: var(--read); }
td.on { color: var(--good); }
.stack > div, .nested { border: 1px solid var(--line); border-radius: 4px; padding: 0.3rem 0.5rem; margin-bottom: 0.3rem; }
.stack .fields, .nested .fields { display: grid; grid-template-columns: auto 1fr; gap: 0 0.7rem; margin: 0; }
.fields dt { color: var(--faint); }
.fields dd { margin: 0; font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; overflow-wrap: anywhere; }
.nested { margin: 0.3rem 0 0; }
.empty, .quiet { color: var(--faint); }
#step, #next { margin: 0; }
#rule code { font: inherit; }
#rule h3 { font-size: 1rem; margin: 0.2rem 0; }
#rule ul { list-style: none; margin: 0.3rem 0; padding: 0; }
#rule li.yes::before { content: "✓ "; color: var(--good); }
#rule li.no::before { content: "✗ "; color: var(--bad); }
.pager { font-weight: 400; margin-left: 0.6rem; }
.pager button { padding: 0 0.4rem; }
kbd { border: 1px solid var(--line); border-radius: 3px; padding: 0 0.3rem; font: inherit; background: var(--panel); }
footer { padding: 0 1rem 1rem; color: var(--faint); font-size: 0.85rem; }
)css";

}  // namespace lockstep::html
