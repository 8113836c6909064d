// Opens a tape, and says what goes wrong while it is played.
import type { VNode } from 'preact';
import { openTape, tapeFaults } from '../state/gateway.ts';
import { showOpened } from '../state/view.ts';

export function TapeBox(): VNode {
  const { text, seed } = tapeFaults.value;
  return (
    <>
      <label class="file">
        Open a tape
        <input
          type="file"
          accept=".jsonl,.ndjson"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file !== undefined) showOpened(openTape(file));
            currentTarget.value = '';
          }}
        />
      </label>
      <details class="faults">
        <summary>{text.trim() === '' ? 'Play it with faults' : 'Plays with faults'}</summary>
        <label>
          --fault, one a line
          <textarea
            class="mono"
            rows={3}
            placeholder={'drop p0.1\nkill @type=agent_end'}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => (tapeFaults.value = { seed, text: currentTarget.value })}
          />
        </label>
        <label>
          --seed
          <input
            class="mono"
            inputMode="numeric"
            placeholder="0"
            value={seed}
            onInput={({ currentTarget }) => (tapeFaults.value = { text, seed: currentTarget.value })}
          />
        </label>
      </details>
    </>
  );
}
