// Rules on modes, options and commands, for agents. docs/protocols/acp.md 3.21 to 3.26.
import type { Dictionary } from '../../../core/model/content.ts';
import { succeeds } from '../../check/json-rpc-findings.ts';
import { each } from '../../check/rule.ts';
import { shown } from '../../check/shape.ts';
import { isGiven } from '../view/sessions.ts';
import { type AcpView, asksOf, at, can, itemsOf, resultsOf } from '../view/view.ts';
import { nowhere } from '../words.ts';
import { type Rows, refused, twice } from './judging.ts';

const setups = ['session/new', 'session/load', 'session/resume'];

/** Everything that tells modes or options: answers and updates. */
function told(view: AcpView, field: 'modes' | 'configOptions') {
  const inAnswers = resultsOf(view, ...setups, 'session/set_config_option').map(({ frame, result }) => ({
    frame,
    value: result,
  }));
  const inUpdates = view.updates
    .filter(({ kind }) => kind === 'config_option_update')
    .map(({ frame, update }) => ({ frame, value: update as unknown }));
  return [...inAnswers, ...inUpdates].filter(({ value }) => {
    const of = at(value, field);
    return of !== undefined && of !== null;
  });
}

/** The values that an option offers. */
export const valuesOf = ({ options }: Dictionary): unknown[] =>
  itemsOf(options).flatMap((one) =>
    Array.isArray(one.options) ? itemsOf(one.options).map(({ value }) => value) : [one.value],
  );

/** The option of that id, as the last message before the frame tells it; undefined if none does. */
export function optionBefore(view: AcpView, id: unknown, frame: number): Dictionary | undefined {
  const before = told(view, 'configOptions').filter((one) => one.frame < frame);
  return before.flatMap(({ value }) => itemsOf(at(value, 'configOptions'))).findLast((option) => option.id === id);
}

/** Settings of sessions that the agent gave: the wrong ones of our own are apart. */
const rightly = (view: AcpView, method: string) =>
  asksOf(view, method).filter(({ params, frame }) => {
    if (!isGiven(view, params.sessionId)) return false;
    if (method === 'session/set_mode')
      return told(view, 'modes').some(({ value }) =>
        itemsOf(at(value, 'modes', 'availableModes')).some(({ id }) => id === params.modeId),
      );
    const option = optionBefore(view, params.configId, frame);
    if (option === undefined) return false;
    return option.type === 'boolean' ? typeof params.value === 'boolean' : valuesOf(option).includes(params.value);
  });

const modeCovers = ['request:session/set_mode', 'update:current_mode_update'];
const optionCovers = ['request:session/set_config_option', 'update:config_option_update'];

/** All rules on settings. */
export const settingRows: Rows = {
  'mode-offered': {
    section: '3.21',
    level: 'SHOULD',
    sentence: 'The current mode is one of the modes, and no mode comes twice.',
    covers: modeCovers,
    scenarios: ['start'],
    judge: (view) =>
      each(told(view, 'modes'), ({ value }) => {
        const ids = itemsOf(at(value, 'modes', 'availableModes')).map(({ id }) => id);
        const current = at(value, 'modes', 'currentModeId');
        return twice(ids, 'mode') ?? (ids.includes(current) ? null : `the mode ${shown(current)} is not offered`);
      }),
  },
  'set-mode': {
    section: '3.21',
    sentence: 'A mode that is offered can be set.',
    covers: modeCovers,
    scenarios: ['mode'],
    reads: 'both',
    judge: (view) => succeeds(rightly(view, 'session/set_mode')),
  },
  'mode-unknown': {
    section: '3.21',
    isMeasured: true,
    sentence: 'A mode that is not offered is refused.',
    covers: modeCovers,
    scenarios: ['bad values'],
    reads: 'both',
    judge: (view) => refused(asksOf(view, 'session/set_mode').filter(({ params }) => params.modeId === nowhere)),
  },
  'option-ids': {
    section: '3.22',
    sentence: 'No option comes twice in one list.',
    covers: optionCovers,
    scenarios: ['start'],
    judge: (view) =>
      each(told(view, 'configOptions'), ({ value }) =>
        twice(
          itemsOf(at(value, 'configOptions')).map(({ id }) => id),
          'option',
        ),
      ),
  },
  'option-offered': {
    section: '3.22',
    level: 'SHOULD',
    sentence: 'The value of an option is one of its choices.',
    covers: optionCovers,
    scenarios: ['start'],
    judge: (view) =>
      each(told(view, 'configOptions'), ({ value }) => {
        const wrong = itemsOf(at(value, 'configOptions')).find(
          (option) => option.type === 'select' && !valuesOf(option).includes(option.currentValue),
        );
        return wrong === undefined
          ? null
          : `${shown(wrong.id)} has ${shown(wrong.currentValue)}, which it does not offer`;
      }),
  },
  'boolean-declared': {
    section: '3.22',
    sentence: 'Options of type boolean are sent to clients alone that declare them.',
    covers: optionCovers,
    scenarios: ['plain'],
    reads: 'both',
    *judge(view) {
      if (view.initialize === null || can(view.clientCan, 'session', 'configOptions', 'boolean')) return;
      for (const { frame, value } of told(view, 'configOptions')) {
        const wrong = itemsOf(at(value, 'configOptions')).find(({ type }) => type === 'boolean');
        yield { frame, wrong: wrong === undefined ? null : `${shown(wrong.id)} is one` };
      }
    },
  },
  'set-option': {
    section: '3.23',
    sentence: 'A value that an option offers can be set.',
    covers: optionCovers,
    scenarios: ['option'],
    reads: 'both',
    judge: (view) => succeeds(rightly(view, 'session/set_config_option')),
  },
  'set-option-list': {
    section: '3.23',
    sentence: '`session/set_config_option` is answered with the list of all options, that one among them.',
    covers: optionCovers,
    scenarios: ['option'],
    reads: 'both',
    judge: (view) =>
      each(resultsOf(view, 'session/set_config_option'), ({ ask, result }) => {
        const ids = itemsOf(at(result, 'configOptions')).map(({ id }) => id);
        return ids.includes(ask.params.configId) ? null : `the list has no ${shown(ask.params.configId)}`;
      }),
  },
  'set-option-value': {
    section: '3.23',
    level: 'SHOULD',
    sentence: 'The list in the answer to `session/set_config_option` has the new value.',
    covers: optionCovers,
    scenarios: ['option'],
    reads: 'both',
    judge: (view) =>
      each(resultsOf(view, 'session/set_config_option'), ({ ask, result }) => {
        const option = itemsOf(at(result, 'configOptions')).find(({ id }) => id === ask.params.configId);
        if (option === undefined || option.currentValue === ask.params.value) return null;
        return `it has ${shown(option.currentValue)}`;
      }),
  },
  'option-unknown': {
    section: '3.23',
    isMeasured: true,
    sentence: 'An option that there is not, and a value that an option does not offer, are refused.',
    covers: optionCovers,
    scenarios: ['bad values'],
    reads: 'both',
    judge: (view) =>
      refused(
        asksOf(view, 'session/set_config_option').filter(
          ({ params }) => params.configId === nowhere || params.value === nowhere,
        ),
      ),
  },
  'mode-in-step': {
    section: '3.23',
    level: 'SHOULD',
    sentence: 'The modes and the option of category `mode` have the same value.',
    covers: [...modeCovers, ...optionCovers],
    scenarios: ['start'],
    judge: (view) =>
      each(
        told(view, 'modes').filter(({ value }) => modeOption(value) !== undefined),
        ({ value }) => {
          const [mode, option] = [at(value, 'modes', 'currentModeId'), modeOption(value)?.currentValue];
          return mode === option ? null : `the mode is ${shown(mode)}, and the option ${shown(option)}`;
        },
      ),
  },
  'command-names': {
    section: '3.26',
    isMeasured: true,
    sentence: 'The name of a slash command has no slash at its beginning, and no name comes twice.',
    covers: ['update:available_commands_update'],
    scenarios: ['text'],
    judge: ({ updates }) =>
      each(
        updates.filter(({ kind }) => kind === 'available_commands_update'),
        ({ update }) => {
          const names = itemsOf(update.availableCommands).map(({ name }) => name);
          const slashed = names.find((name) => String(name).startsWith('/'));
          return slashed === undefined ? twice(names, 'command') : `the name is ${shown(slashed)}`;
        },
      ),
  },
};

const modeOption = (value: unknown): Dictionary | undefined =>
  itemsOf(at(value, 'configOptions')).find(({ category, id }) => category === 'mode' && id === 'mode');
