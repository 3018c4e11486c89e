#pragma once
#include <string_view>

namespace fabricast {

/// How pages look. Colours are variables, so that charts follow light and dark. None is the only
/// bearer of a meaning: verdicts are words, and lengths of bars are in the table above.
inline constexpr std::string_view kPageStyle = R"css(:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --rule: #d0d7de; --panel: #f6f8fa;
  --good: #116329; --good-paper: #d7f5dd; --unsure: #6b4600; --unsure-paper: #fff0c2;
  --bad: #9a0f24; --bad-paper: #ffe3e0; --limit: #b3261e;
  --s0: #0072b2; --s1: #e69f00; --s2: #009e73; --s3: #cc79a7; --s4: #56b4e9; --s5: #d55e00;
  --s6: #8a7fd1; --s7: #a3a500; --s8: #7f7f7f; --s9: #c49c94;
  --s10: #17607d; --s11: #9c2f6b; --s12: #b9d98a; --s13: #4d4d4d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181d; --ink: #e6e9ed; --soft: #a3adb8; --rule: #39424d; --panel: #1d232a;
    --good: #7ee29a; --good-paper: #12351d; --unsure: #f2cc60; --unsure-paper: #3a2c05;
    --bad: #ff9b91; --bad-paper: #43161a; --limit: #ff7b72;
    --s0: #4ba3dd; --s1: #f0b43c; --s2: #2fc197; --s3: #dd9bc0; --s4: #8accf2; --s5: #f08445;
    --s6: #a99fe6; --s7: #c2c54a; --s8: #9a9fa5; --s9: #d3b0a9;
    --s10: #2b8fb5; --s11: #d06aa3; --s12: #cfe8a8; --s13: #d9d9d9;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
main, footer { max-width: 76rem; margin: 0 auto; padding: 1rem clamp(0.75rem, 3vw, 2rem); }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 2rem 0 0.5rem; padding-top: 1rem;
  border-top: 1px solid var(--rule); overflow-wrap: anywhere; }
p { margin: 0.25rem 0; max-width: 68rem; overflow-wrap: anywhere; }
.aside, .sub, .note { color: var(--soft); }
.sub { padding-left: 1rem; }
.note b { color: var(--ink); font-weight: 600; margin-right: 0.35rem; }
.gap { color: var(--soft); }
.badge { display: inline-block; padding: 0 0.55rem; border-radius: 0.4rem; font-weight: 700;
  background: var(--panel); border: 1px solid var(--rule); }
.good { color: var(--good); background: var(--good-paper); border-color: var(--good); }
.unsure { color: var(--unsure); background: var(--unsure-paper); border-color: var(--unsure); }
.bad { color: var(--bad); background: var(--bad-paper); border-color: var(--bad); }
.scroll { overflow-x: auto; margin: 0.75rem 0; }
.scroll:focus-visible { outline: 3px solid var(--s0); outline-offset: 2px; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding: 0.25rem 0; white-space: nowrap; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
th, td { text-align: left; padding: 0.3rem 0.55rem; border-bottom: 1px solid var(--rule);
  vertical-align: top; white-space: nowrap; }
th { font-weight: 600; }
td:last-child:not(.num) { white-space: normal; min-width: 17rem; overflow-wrap: break-word; }
thead th, thead td { border-bottom: 2px solid var(--rule); background: var(--panel); }
.num { text-align: right; }
figure { margin: 1.25rem 0; }
figcaption { font-weight: 600; }
svg { display: block; width: 100%; height: auto; min-width: 20rem; max-width: 36rem; }
.drawing svg { min-width: 60rem; max-width: none; }
svg.chart text { fill: var(--ink); font: 12.5px system-ui, "Liberation Sans", Arial, sans-serif; }
svg.chart .soft { fill: var(--soft); }
svg.chart .rule { stroke: var(--rule); stroke-width: 1; fill: none; }
svg.chart .limit { stroke: var(--limit); stroke-width: 2; stroke-dasharray: 5 3; }
svg.chart .bar { stroke: var(--paper); stroke-width: 0.75; }
svg.chart .point { fill-opacity: 0.75; stroke: var(--paper); stroke-width: 0.75; }
.c0 { fill: var(--s0); } .c1 { fill: var(--s1); } .c2 { fill: var(--s2); } .c3 { fill: var(--s3); }
.c4 { fill: var(--s4); } .c5 { fill: var(--s5); } .c6 { fill: var(--s6); } .c7 { fill: var(--s7); }
.c8 { fill: var(--s8); } .c9 { fill: var(--s9); } .c10 { fill: var(--s10); }
.c11 { fill: var(--s11); } .c12 { fill: var(--s12); } .c13 { fill: var(--s13); }
pre { margin: 0; padding: 0.6rem 0.8rem; background: var(--panel); border: 1px solid var(--rule);
  border-radius: 0.4rem; font: 0.85rem/1.45 ui-monospace, "Liberation Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; }
footer { color: var(--soft); font-size: 0.85rem; border-top: 1px solid var(--rule); }
@page { size: A4; margin: 14mm; }
@page wide { size: A4 landscape; }
@media print {
  :root { color-scheme: light;
    --paper: #ffffff; --ink: #000000; --soft: #444444; --rule: #bbbbbb; --panel: #f3f3f3;
    --good: #116329; --good-paper: #ffffff; --unsure: #6b4600; --unsure-paper: #ffffff;
    --bad: #9a0f24; --bad-paper: #ffffff; --limit: #b3261e;
    --s0: #0072b2; --s1: #e69f00; --s2: #009e73; --s3: #cc79a7; --s4: #56b4e9; --s5: #d55e00;
    --s6: #8a7fd1; --s7: #a3a500; --s8: #7f7f7f; --s9: #c49c94;
  --s10: #17607d; --s11: #9c2f6b; --s12: #b9d98a; --s13: #4d4d4d; }
  body { font-size: 10pt; }
  main, footer { max-width: none; padding: 0; }
  .scroll { overflow: visible; }
  table { width: 100%; font-size: 7.5pt; }
  .wide { page: wide; }
  th, td { padding: 1pt 3pt; white-space: normal; }
  caption { white-space: normal; }
  td:last-child:not(.num) { min-width: 0; overflow-wrap: anywhere; }
  svg, .drawing svg { min-width: 0; max-width: 100%; }
  h2, figcaption, caption { break-after: avoid; }
  figure, tr, .scroll { break-inside: avoid; }
  figure svg { max-height: 150mm; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace fabricast
