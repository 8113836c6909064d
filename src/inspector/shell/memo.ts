// Components that are drawn only when they have to be.
import { Component, type ComponentChild, type FunctionComponent } from 'preact';

/** A component that is drawn anew only when a property is another one. */
export function memo<Props extends object>(draw: (props: Props) => ComponentChild): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const before = this.props as Record<string, unknown>;
      return Object.entries(next).some(([name, value]) => before[name] !== value);
    }
    override render(props: Props): ComponentChild {
      return draw(props);
    }
  }
  return Memo as unknown as FunctionComponent<Props>;
}
