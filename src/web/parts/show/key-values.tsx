import type { ComponentChildren } from 'preact'

/** A name, a value, and how the value looks. */
type KeyValue = readonly [name: string, value: ComponentChildren, look?: string]

/** Names with their values beside them; those without a value are left out. */
export const KeyValues = ({ rows }: { readonly rows: readonly KeyValue[] }) => (
  <dl class="facts">
    {rows
      .filter(([, value]) => value !== '' && value !== undefined)
      .map(([name, value, look]) => [
        <dt key={name}>
          <bdi>{name}</bdi>
        </dt>,
        <dd key={`${name} value`} class={look}>
          <bdi>{value}</bdi>
        </dd>,
      ])}
  </dl>
)
