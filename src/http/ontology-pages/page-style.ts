/** The style sheet of the ontology's pages. */
export const PAGE_STYLE = `:root {
  --text: #1b1f24; --soft: #57606a; --line: #d0d7de; --page: #fff; --box: #f6f8fa; --link: #0550ae;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --soft: #9aa4af; --line: #30363d; --page: #0d1117; --box: #161b22; --link: #79b8ff; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
header { display: flex; gap: 1.5rem; padding: .75rem 1rem; border-bottom: 1px solid var(--line); }
main { max-width: 62rem; margin: 0 auto; padding: 0 1rem 3rem; }
a { color: var(--link); }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { padding: .75rem 1rem; overflow-x: auto; background: var(--box); border: 1px solid var(--line); border-radius: 6px; }
.kind { color: var(--soft); margin-bottom: 0; }
.definition { font-size: 1.125rem; margin-top: .25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { white-space: nowrap; font-weight: 600; }
ul { padding-left: 1.25rem; }
li { margin: .25rem 0; }
:target { background: var(--box); outline: 2px solid var(--line); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
.diagram rect { fill: var(--box); stroke: var(--line); }
.diagram path { fill: none; stroke: var(--line); }
.diagram text { fill: var(--link); font: 12px ui-monospace, monospace; }
.diagram a:hover rect, .diagram a:focus rect { stroke: var(--link); }
`;
