// A dialog over the page. The focus comes back to where it was.
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly name?: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}

export function Modal({ label, name = '', children, onClose }: Props): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class={name} aria-label={label} onClose={onClose}>
      {children}
      <form method="dialog">
        <button type="submit" autofocus>
          Close
        </button>
      </form>
    </dialog>
  );
}
