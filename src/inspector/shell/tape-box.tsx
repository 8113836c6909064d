// Opens a tape, and says how it is played: how fast, and what goes wrong.
import type { VNode } from 'preact';
import { openTape, tapePlay } from '../state/gateway.ts';
import { showOpened } from '../state/view.ts';

export function TapeBox(): VNode {
  const { speed, text, seed } = tapePlay.value;
  const change = (part: Partial<typeof tapePlay.value>) => (tapePlay.value = { ...tapePlay.value, ...part });
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
      <label class="setting">
        <span>Speed</span>
        <select
          aria-label="Speed of tapes"
          value={speed}
          onChange={({ currentTarget }) => change({ speed: currentTarget.value })}
        >
          <option value="1">as recorded</option>
          <option value="10">10 times</option>
          <option value="max">no pauses</option>
        </select>
      </label>
      <details class="faults">
        <summary>{text.trim() === '' ? 'Play it with faults' : 'Plays with faults'}</summary>
        <label>
          --fault, one a line
          <textarea
            class="mono"
            rows={3}
            wrap="off"
            placeholder={'drop p0.1\nkill @type=agent_end'}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => change({ text: currentTarget.value })}
          />
        </label>
        <label>
          --seed
          <input
            class="mono"
            inputMode="numeric"
            placeholder="0"
            value={seed}
            onInput={({ currentTarget }) => change({ seed: currentTarget.value })}
          />
        </label>
      </details>
    </>
  );
}
