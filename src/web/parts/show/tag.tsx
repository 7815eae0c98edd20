interface Props {
  readonly name?: string
  readonly value: string
}

/** A tag of a machine, or a word about somebody. */
export const Tag = ({ name, value }: Props) => (
  <span class="tag">
    {name !== undefined && <b>{name}</b>}
    <bdi>{value}</bdi>
  </span>
)
