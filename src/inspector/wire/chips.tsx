// The marks of a row. A click opens the text of the rule.
import type { VNode } from 'preact';
import type { WireMark } from '../../core/contract/gateway/wire-rows.ts';
import { openRule } from '../state/view.ts';

/** The sign of each kind of mark. */
export const signs: Readonly<Record<WireMark['kind'], string>> = {
  loss: '−',
  repair: '~',
  violation: '!',
  ignored: '○',
};

/** Chips of a row; more are in its drawer. */
const most = 3;

export function Chips({ marks }: { readonly marks: readonly WireMark[] }): VNode | null {
  if (marks.length === 0) return null;
  return (
    <span class="chips">
      {marks.slice(0, most).map((mark, index) => (
        <Chip key={index} mark={mark} isTabbed={false} />
      ))}
      {marks.length > most && <span class="more">+{marks.length - most}</span>}
    </span>
  );
}

export function Chip({ mark, isTabbed }: { readonly mark: WireMark; readonly isTabbed: boolean }): VNode {
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
      {kind === 'ignored' ? 'no event' : `${dialect === undefined ? '' : `${dialect} `}${text.slice(0, 32)}`}
    </button>
  );
}
