// The table form of rules on Claude clients.
import type { Rule } from '../../check/rule.ts';
import type { RuleRow } from '../../check/rule-rows.ts';
import { type UnpackedView, unpackMessages } from '../view/unpack-messages.ts';
import type { View } from '../view/view.ts';

/** A rule without the fields that follow from its name. */
export interface Row extends Omit<RuleRow<View>, 'section' | 'isMeasured'> {
  /**
   * The section of the document. Default `1.1`, which only names the messages: the document does not say how clients
   * use them (docs/protocols/claude.md 3).
   */
  readonly section?: string;
  /** The document states the rule; default: measured. */
  readonly isSpecified?: true;
}

/** Builds the rules. */
export function clientRules(rows: Readonly<Record<string, Row>>): Rule<UnpackedView>[] {
  return Object.entries(rows).map(([name, { section = '1.1', isSpecified, ...row }]) =>
    unpackMessages({
      id: `claude/client/${name}`,
      section,
      level: isSpecified === true ? 'MUST' : 'SHOULD',
      basis: isSpecified === true ? 'specification' : 'measured',
      ...row,
    }),
  );
}
