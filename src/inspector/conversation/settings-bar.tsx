// Model, thinking and mode of the session, and what it has used.
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Model } from '../../core/model/content.ts';
import { dollars, tokens } from '../state/format.ts';
import { isTape } from '../state/gateway.ts';
import type { Session } from '../state/session.ts';

/** What an agent that does not tell its choices is asked for. */
function useAsked<Value>(session: Session, subject: 'models' | 'thinking-levels', field: string): readonly Value[] {
  const [list, setList] = useState<readonly Value[]>([]);
  const agent = session.agent.value;
  useEffect(() => {
    setList([]);
    // A tape was recorded without this question.
    if (agent === null || isTape(session.id)) return;
    void session.query(subject).then((data) => setList((data?.[field] as readonly Value[] | undefined) ?? []));
  }, [session, agent]);
  return list;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly Choice[];
  readonly onChoose: (value: string) => void;
}

function Select({ label, value, choices, onChoose }: SelectProps): VNode | null {
  if (choices.length === 0) return null;
  const isKnown = choices.some((choice) => choice.value === value);
  return (
    <label class="setting">
      <span>{label}</span>
      <select aria-label={label} value={value ?? ''} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {!isKnown && <option value={value ?? ''}>{value ?? '–'}</option>}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </label>
  );
}

export function SettingsBar({ session }: { readonly session: Session }): VNode {
  const info = session.info.value;
  const asked = useAsked<Model>(session, 'models', 'models');
  const levels = useAsked<string>(session, 'thinking-levels', 'levels');
  const models = info.models ?? asked;
  const change = (command: Parameters<Session['ask']>[0]) => void session.ask(command);
  return (
    <div class="settings">
      <Select
        label="Model"
        value={info.model?.id}
        choices={models.map(({ id, name }) => ({ value: id, label: name ?? id }))}
        onChoose={(id) => {
          const provider = models.find((model) => model.id === id)?.provider;
          change({ type: 'set-model', model: id, ...(provider === undefined ? {} : { provider }) });
        }}
      />
      <Select
        label="Thinking"
        value={info.thinkingLevel}
        choices={(info.thinkingLevels ?? levels).map((level) => ({ value: level, label: level }))}
        onChoose={(level) => change({ type: 'set-thinking', level })}
      />
      <Select
        label="Mode"
        value={info.mode}
        choices={(info.modes ?? []).map(({ id, name }) => ({ value: id, label: name ?? id }))}
        onChoose={(mode) => change({ type: 'set-mode', mode })}
      />
    </div>
  );
}

/** What the session has used so far. */
export function Used({ session }: { readonly session: Session }): VNode {
  const { usage, cost, contextTokens, contextWindow } = session.totals.value;
  const read = usage.input + usage.cacheRead + usage.cacheWrite;
  return (
    <span class="figures">
      {contextTokens !== undefined &&
        `context ${tokens(contextTokens)}${contextWindow === undefined ? '' : ` of ${tokens(contextWindow)}`} · `}
      {`${tokens(read)} in · ${tokens(usage.output)} out${cost > 0 ? ` · ${dollars(cost)}` : ''}`}
    </span>
  );
}
