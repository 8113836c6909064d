// The style sheet of the HTML report, and the content security policy that allows this sheet and nothing else.

/**
 * Follows the reader's choice of light or dark. Verdicts differ in words and marks as well as in colour. The filter is
 * a group of radio buttons that the sheet reads, so the page needs no script.
 */
export const style = `
:root { color-scheme: light dark; --ink: #1b1c20; --faint: #5c606a; --page: #f7f7f5; --card: #fff; --line: #dcdcd6; --code: #f1f1ee; --focus: #2457c5;
  --passed: #1d6f42; --failed: #b3261e; --unclear: #8a5300; --silent: #5c606a; --failed-back: #fdecea; --us: #2457c5; --peer: #6b3fa0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e3; --faint: #a0a4ae; --page: #15161a; --card: #1d1f24; --line: #363a42; --code: #17181c; --focus: #8db2ff;
    --passed: #6fcf97; --failed: #ff9a92; --unclear: #f2b764; --silent: #a0a4ae; --failed-back: #3a1c1b; --us: #8db2ff; --peer: #c9a5f5; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 5rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; unicode-bidi: isolate; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; overflow-wrap: anywhere; }
h3 { font-size: .85rem; margin: 1rem 0 .25rem; color: var(--faint); overflow-wrap: anywhere; }
h2 span { color: var(--faint); font-weight: 400; font-size: .85rem; margin-left: .5rem; }
a { color: var(--focus); }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.skip { position: absolute; left: -100vw; }
.skip:focus { position: static; }
.facts, .note { color: var(--faint); font-size: .85rem; margin: .25rem 0; }
.bar { display: block; width: 100%; height: .75rem; margin: 1rem 0; border-radius: .4rem; }
.bar .passed { fill: var(--passed); } .bar .failed { fill: var(--failed); } .bar .unclear { fill: var(--unclear); } .bar .silent { fill: var(--line); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
th, td { padding: .3rem .9rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child { text-align: left; }
thead th { color: var(--faint); font-size: .85rem; font-weight: 600; }
td.failed, .badge.failed { color: var(--failed); } td.unclear, .badge.unclear { color: var(--unclear); } .badge.passed { color: var(--passed); } .badge.silent { color: var(--silent); }
td.failed, td.unclear { font-weight: 700; }
fieldset { border: 0; padding: .6rem 0; margin: 1.5rem 0 0; position: sticky; top: 0; z-index: 1; background: var(--page); display: flex; flex-wrap: wrap; gap: .4rem; border-bottom: 1px solid var(--line); }
legend { float: left; padding: .3rem .6rem .3rem 0; color: var(--faint); }
label { border: 1px solid var(--line); border-radius: 2rem; padding: .25rem .9rem; background: var(--card); cursor: pointer; }
label:has(:checked) { border-color: var(--focus); outline: 1px solid var(--focus); font-weight: 600; }
label:focus-within, summary:focus-visible, a:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
label input { position: absolute; opacity: 0; }
.check { background: var(--card); border: 1px solid var(--line); border-left: .3rem solid var(--silent); border-radius: .4rem; margin: .4rem 0; }
.check.passed { border-left-color: var(--passed); } .check.failed { border-left-color: var(--failed); } .check.unclear { border-left-color: var(--unclear); }
summary { cursor: pointer; padding: .5rem .8rem; overflow-wrap: anywhere; }
summary code { font-size: .85rem; font-weight: 600; }
.badge { display: inline-block; min-width: 7.5rem; font-size: .8rem; font-weight: 700; }
.level { font-size: .75rem; font-weight: 600; color: var(--faint); border: 1px solid var(--line); border-radius: .25rem; padding: 0 .35rem; margin: 0 .4rem; }
.sentence { display: block; padding-left: 1rem; margin-top: .15rem; }
.inside { padding: 0 .8rem .8rem 1.8rem; }
.reason { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; margin: .25rem 0; }
.failed .reason, .wrong { color: var(--failed); font-weight: 600; } .unclear .reason { color: var(--unclear); }
li { overflow-wrap: anywhere; }
ol { list-style: none; margin: .25rem 0; padding: 0; border: 1px solid var(--line); border-radius: .4rem; overflow: hidden; }
li.message { display: grid; grid-template-columns: 4.5rem 4.5rem minmax(0, 1fr); gap: 0 .6rem; padding: .2rem .6rem; background: var(--code); border-left: .3rem solid transparent; }
li.message + li.message { border-top: 1px solid var(--line); }
li.us .who { color: var(--us); } li.peer .who { color: var(--peer); }
li.breach { background: var(--failed-back); border-left-color: var(--failed); }
.at { color: var(--faint); font-size: .8rem; text-align: right; font-variant-numeric: tabular-nums; }
.who { font-size: .8rem; font-weight: 600; white-space: nowrap; }
pre { margin: 0; font-size: .8rem; line-height: 1.45; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; max-height: 24rem; overflow: auto; }
.wrong { grid-column: 3; margin: .15rem 0; font-size: .85rem; overflow-wrap: anywhere; unicode-bidi: isolate; }
li.skipped { padding: .2rem .8rem; color: var(--faint); font-size: .8rem; text-align: center; }
body:has(#show-bad:checked) .check:not(.failed, .unclear), body:has(#show-passed:checked) .check:not(.passed), body:has(#show-failed:checked) .check:not(.failed),
body:has(#show-unclear:checked) .check:not(.unclear), body:has(#show-silent:checked) .check:not(.silent) { display: none; }
body:has(#show-bad:checked) section:not(:has(.check.failed, .check.unclear)), body:has(#show-passed:checked) section:not(:has(.check.passed)), body:has(#show-failed:checked) section:not(:has(.check.failed)),
body:has(#show-unclear:checked) section:not(:has(.check.unclear)), body:has(#show-silent:checked) section:not(:has(.check.silent)) { display: none; }
@media (max-width: 40rem) { li.message { grid-template-columns: auto 1fr; } li.message pre, .wrong { grid-column: 1 / -1; } .badge { min-width: 0; margin-right: .4rem; }
  body { padding: 1rem .75rem 3rem; } table { width: 100%; font-size: .8rem; } th, td { padding: .3rem .25rem; } thead th { font-size: .7rem; } .inside { padding-left: .8rem; } }
@media print { fieldset, .skip { display: none; } body { max-width: none; } pre { max-height: none; } }
`;

/** Hash of {@link style}; the policy allows no other sheet. */
const styleHash = 'sha256-iOkbH6Y9lIBpTMMObJmWq4oIbAmVM2LRCFfJmesYwfg=';

/** Allows no script, no request, no form and no image. */
export const policy = ["default-src 'none'", `style-src '${styleHash}'`, "base-uri 'none'", "form-action 'none'"].join(
  '; ',
);
