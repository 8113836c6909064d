// The style sheet of an exported page, and the content security policy that allows nothing else.

/** Follows the reader's light or dark mode. Texts are isolated so that none changes the direction of its neighbours. */
export const style = `
:root { color-scheme: light dark; --ink: #1c1d20; --faint: #63666d; --page: #fbfbfa; --card: #fff; --line: #dcdcd8; --user: #eaf1fb; --bad: #a4262c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e2; --faint: #9b9ea6; --page: #17181b; --card: #1f2125; --line: #35383e; --user: #1e2a3a; --bad: #ff8f8f; }
}
body { margin: 0 auto; max-width: 52rem; padding: 1.5rem 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; overflow-wrap: anywhere; unicode-bidi: isolate; }
h2, h3 { font-size: .8rem; font-weight: 600; margin: .5rem 0 .25rem; color: var(--faint); }
.facts, .facts-of-message { color: var(--faint); font-size: .8rem; margin: .25rem 0; }
article { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .9rem; margin: .75rem 0; }
article.user { background: var(--user); }
article.lane { margin-left: 2rem; }
.text, .code { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; margin: .25rem 0; }
.code { font: .82rem/1.45 ui-monospace, monospace; max-height: 30rem; overflow: auto; }
.thinking .text { color: var(--faint); font-style: italic; }
details { border-left: 3px solid var(--line); padding-left: .7rem; margin: .5rem 0; }
summary { cursor: pointer; color: var(--faint); overflow-wrap: anywhere; }
.failure { color: var(--bad); white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
img { max-width: 100%; border-radius: .25rem; }
`;

/** The hash of {@link style}. The policy allows only this style sheet. */
const styleHash = 'sha256-9oBgsnt4DOPB5wMcpLYt7MmXpt45BRyhcJLRaybpeHs=';

/** No script, no request, no form; images from inside the page only. */
export const policy = [
  "default-src 'none'",
  'img-src data:',
  `style-src '${styleHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
