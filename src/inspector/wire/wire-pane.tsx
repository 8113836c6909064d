// The wire beside the conversation.
import type { VNode } from 'preact';
import type { Session } from '../state/session.ts';
import { Drawer } from './drawer.tsx';
import { Filters } from './filters.tsx';
import { Grid } from './grid.tsx';

export function WirePane({ session }: { readonly session: Session }): VNode {
  return (
    <section class="pane wire" aria-label="Wire of the session">
      <Filters key={session.id} session={session} />
      <Grid key={session.id} session={session} />
      <Drawer session={session} />
    </section>
  );
}
