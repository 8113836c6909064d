// The marks of a row. A click opens the text of the rule.
import type { VNode } from 'preact';
import { openRule } from '../state/view.ts';
import type { Mark } from '../state/wire-row.ts';

const signs: Readonly<Record<Mark['kind'], string>> = { loss: '−', repair: '~', violation: '!', ignored: '○' };

/** Chips of a row; more are in its drawer. */
const most = 3;

export function Chips({ marks }: { readonly marks: readonly Mark[] }): VNode | null {
  if (marks.length === 0) return null;
  return (
    <span class="chips">
      {marks.slice(0, most).map((mark, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: marks keep their places
        <Chip key={index} mark={mark} isTabbed={false} />
      ))}
      {marks.length > most && <span class="more">+{marks.length - most}</span>}
    </span>
  );
}

export function Chip({ mark, isTabbed }: { readonly mark: Mark; readonly isTabbed: boolean }): VNode {
  const { kind, dialect, text, rule } = mark;
  return (
    <button
      type="button"
      class={`chip ${kind}`}
      tabIndex={isTabbed ? 0 : -1}
      title={`${kind}${dialect === undefined ? '' : ` to ${dialect}`}: ${text}`}
      onClick={(event) => {
        event.stopPropagation();
        openRule.value = { rule, text: `${kind}${dialect === undefined ? '' : ` to ${dialect}`}: ${text}` };
      }}
    >
      <span class="sign">{signs[kind]}</span>
      {dialect === undefined ? '' : `${dialect} `}
      {text.slice(0, 32)}
    </button>
  );
}
