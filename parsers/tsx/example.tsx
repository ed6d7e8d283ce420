// Screens of the shop.
import React, { memo, forwardRef, type ReactNode } from 'react';
import { useCart } from './cart';
import './shop.css';
const analytics = require('./analytics');

export type Price = { amount: number; currency: string };

interface ButtonProps extends React.HTMLAttributes<HTMLButtonElement> {
  /** Shown before the label. */
  icon?: ReactNode;
  onPress(event: React.MouseEvent): void;
}

enum Tone { Calm, Loud = 'loud' }

/** A button with an icon. */
export const Button: React.FC<ButtonProps> = ({ icon, children, onPress }) => {
  const handleClick = (event: React.MouseEvent) => {
    analytics.track('press');
    onPress(event);
  };
  return <button onClick={handleClick}>{icon ?? <Icon.Star />}{children}</button>;
};

// Keeps its reference.
export const Field = forwardRef<HTMLInputElement, { label: string }>(({ label }, ref) => (
  <label>{label}<input ref={ref} /></label>
));

const Row = memo(function Row({ name }: { name: string }) {
  return <li title="Größe – 寸法">{name}</li>;
});

export default function Shop({ items }: { items: Price[] }) {
  const { cart, add } = useCart();
  function total(): number {
    return items.reduce((sum, item) => sum + item.amount, 0);
  }
  return (
    <>
      {items.map((item) => <Row key={item.amount} name={item.currency} />)}
      <Button onPress={() => add(total())}>Buy {cart.size}</Button>
    </>
  );
}

export function useTotal<T extends Price>(items: T[]): number;
export function useTotal(items: Price[], round?: boolean): number {
  return React.useMemo(() => sum(items), [items]);
}

/** The frame around every screen. */
export class Layout extends React.Component<{ title: string }, { open: boolean }> {
  static defaultProps = { title: 'Shop' };
  state = { open: false };
  toggle = () => this.setState((state) => ({ open: !state.open }));

  /** Draw the frame. */
  @observed
  render(): ReactNode {
    const { title } = this.props;
    return <main><h1 onClick={this.toggle}>{title}</h1>{this.renderBody()}</main>;
  }

  private renderBody() { return <Slot name="body" {...this.state} />; } componentDidMount() { analytics.open(); }
}

export const routes = [
  { path: '/', element: <Shop items={[]} /> },
  { path: '/about', element: <Layout title="About" /> },
];

export const withTheme = <P extends object>(Inner: React.ComponentType<P>) =>
  function Themed(props: P) {
    return <Theme.Provider value="dark"><Inner {...props} /></Theme.Provider>;
  };

const styles = { title: { color: 'red', hover: () => ({ color: 'blue' }) } };

   const   Odd=( {a , b}:{a:number,b : string} )=>{
return <div
   className = {`x-${ a }`}>{ b }</div> }

Layout.displayName = 'Layout';
Shop.getInitialProps = async function (context: Context) { return fetchItems(context); };

describe('Shop', () => {
  it('renders', () => { render(<Shop items={[]} />); });
});
