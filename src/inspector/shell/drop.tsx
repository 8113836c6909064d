// A tape that is dropped anywhere on the page is opened.
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { openTape } from '../state/gateway.ts';
import { showOpened } from '../state/view.ts';

export function DropZone(): VNode | null {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const out = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      const file = event.dataTransfer?.files[0];
      setOver(false);
      if (file === undefined) return;
      event.preventDefault();
      showOpened(openTape(file));
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', out);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', out);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver ? <div class="drop">Drop the tape to play it</div> : null;
}
