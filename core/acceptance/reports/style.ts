import { DARK, LIGHT, type Palette } from './palette.ts';

const variables = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour};`)
    .join('');

/** Classes of how something stands: text and ground. */
const STANDINGS: { readonly [name: string]: string } = {
  pass: 'pass',
  fail: 'fail',
  error: 'error',
  aborted: 'error',
  held: 'hold',
  running: 'hold',
  quiet: 'quiet',
};

const standings = Object.entries(STANDINGS)
  .map(([name, colour]) => `.${name}{--fore:var(--${colour});--back:var(--${colour}Ground)}`)
  .join('\n');

/** The whole style of the report: light, dark, narrow, and on paper. */
export const STYLE = `
:root{color-scheme:light dark;${variables(LIGHT)}}
@media (prefers-color-scheme:dark){:root{${variables(DARK)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
main{max-width:70rem;margin:0 auto;padding:1.5rem 1.25rem 3rem}
h1{font-size:1.5rem;line-height:1.25;margin:0}
h2{font-size:1.125rem;margin:2rem 0 .75rem}
h3{font-size:1rem;margin:0}
p{margin:.25rem 0}
.muted,dt{color:var(--muted)}
.small{font-size:.875rem}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
code{background:var(--quietGround);border-radius:.25rem;padding:.05em .3em}
pre{margin:.5rem 0 0;padding:.75rem;background:var(--ground);border:1px solid var(--line);border-radius:.375rem;white-space:pre-wrap;overflow-wrap:anywhere}
${standings}
.badge{display:inline-block;white-space:nowrap;border:1px solid currentColor;border-radius:.375rem;padding:0 .5rem;background:var(--back);color:var(--fore);font-weight:600;font-size:.8125rem;line-height:1.5rem}
.top{display:flex;flex-wrap:wrap;gap:.75rem 1.25rem;align-items:center;padding:1.25rem;border:1px solid var(--line);border-left:.5rem solid var(--fore);border-radius:.5rem;background:var(--card)}
.verdict{border:2px solid currentColor;border-radius:.5rem;background:var(--back);color:var(--fore);font-size:1.5rem;line-height:1;font-weight:700;padding:.75rem 1rem;white-space:nowrap}
.top>div{flex:1 1 22rem;min-width:0}
.lead{font-size:1.0625rem}
.strip{list-style:none;display:grid;grid-template-columns:repeat(7,minmax(0,1fr));gap:.5rem;margin:1rem 0 0;padding:0}
.strip li{border:1px solid var(--line);border-top:.375rem solid var(--fore);border-radius:.375rem;background:var(--back);padding:.5rem;min-width:0;display:flex;flex-direction:column;gap:.125rem;overflow-wrap:break-word;hyphens:auto}
.strip .stand{color:var(--fore);font-weight:700}
.strip .name{font-size:.875rem;line-height:1.3}
.strip .stopped{outline:2px solid var(--fore);outline-offset:1px}
.cards{display:grid;gap:1rem}
.card{border:1px solid var(--line);border-left:.375rem solid var(--fore);border-radius:.5rem;background:var(--card);padding:1rem 1.25rem}
.head{display:flex;flex-wrap:wrap;gap:.375rem .75rem;align-items:baseline}
.head h3{flex:1 1 16rem}
.finding{margin:.75rem 0 0;padding:.75rem 0 0;border-top:1px solid var(--line)}
.said{white-space:pre-wrap}
.fix{margin:.5rem 0 0;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.375rem;background:var(--ground);white-space:pre-wrap}
.fix b{display:block;font-size:.8125rem;color:var(--muted);font-weight:600}
.facts{display:flex;flex-wrap:wrap;gap:.125rem 1.25rem;margin:.375rem 0 0;font-size:.875rem}
.facts div{display:flex;gap:.375rem}
dl.facts dd,dl.facts dt{margin:0}
dl.facts dt{flex:none}
details{margin:.75rem 0 0}
summary{cursor:pointer;font-weight:600}
summary:focus-visible{outline:2px solid var(--hold);outline-offset:2px}
.more{margin:.25rem 0 0;padding-left:1.25rem}
.more li{margin:.375rem 0}
.line{display:grid;grid-template-columns:minmax(9rem,18rem) 1fr;gap:.125rem .75rem;align-items:center;font-size:.875rem}
.line .label{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.line .group{grid-column:1/-1;font-weight:600;padding-top:.375rem}
.track{position:relative;height:1.25rem;background:var(--card);border-radius:.25rem}
.bar{position:absolute;top:.25rem;height:.75rem;min-width:3px;border-radius:2px;background:var(--fore)}
.bar.fail{background:repeating-linear-gradient(45deg,var(--fore) 0 4px,var(--back) 4px 7px);border:1px solid var(--fore)}
.bar.error{background:repeating-linear-gradient(-45deg,var(--fore) 0 2px,var(--back) 2px 6px);border:1px solid var(--fore)}
.gap{position:absolute;top:0;bottom:0;border:dashed var(--muted);border-width:0 1px;opacity:.6}
.took{position:absolute;top:0;line-height:1.25rem;font-size:.75rem;color:var(--muted);white-space:nowrap;padding:0 .25rem}
.took.within{top:.25rem;line-height:.75rem;background:var(--card);border-radius:2px}
.axis{position:relative;height:1.25rem;font-size:.75rem;color:var(--muted)}
.axis span{position:absolute;white-space:nowrap}
table{border-collapse:collapse;width:100%;font-size:.875rem}
caption{text-align:left;padding:1rem 0 .375rem;font-size:1rem;font-weight:600}
caption .muted{font-weight:400;font-size:.875rem}
th,td{text-align:left;vertical-align:top;padding:.375rem .75rem .375rem 0;border-top:1px solid var(--line)}
th{color:var(--muted);font-weight:600}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
td.o{white-space:nowrap;width:7rem}
td.f{width:9rem}
td.t{white-space:nowrap;width:9.5rem}
.what{white-space:pre-wrap}
.skip{margin:1rem 0 0;display:flex;flex-wrap:wrap;gap:.25rem .5rem;align-items:baseline}
.skip details{margin:0}
.skip summary{font-weight:400;color:var(--muted);font-size:.875rem}
footer{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:1rem}
footer dl{display:grid;grid-template-columns:max-content 1fr;gap:.125rem 1rem;margin:0;font-size:.875rem}
footer dd{margin:0;min-width:0}
.ids td{font-size:.8125rem}
tr:last-child td{border-bottom:1px solid var(--line)}
@media screen and (max-width:52rem){
.strip{grid-template-columns:1fr}
.strip li{flex-direction:row;flex-wrap:wrap;gap:0 .5rem;align-items:baseline;border-top:1px solid var(--line);border-left:.375rem solid var(--fore);padding:.375rem .625rem}
.strip .name{flex:1 1 8rem}
.line{grid-template-columns:1fr}
.line .label{white-space:normal}
table,tbody,tr,td,caption{display:block}
td,td.o,td.f,td.t{width:auto;border:0;padding:.125rem 0}
tr{border-top:1px solid var(--line);padding:.5rem 0}
tr:last-child td{border-bottom:0}
footer dl{grid-template-columns:1fr}
footer dt{margin-top:.375rem}
}
@media print{
:root{color-scheme:light;${variables(LIGHT)}}
body{font-size:10pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}
.card,.top,.strip li,tr{break-inside:avoid}
h2,caption{break-after:avoid}
details::details-content{content-visibility:visible;display:block;height:auto}
summary{list-style:none}
}
`;
