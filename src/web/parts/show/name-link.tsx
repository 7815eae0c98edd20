import type { AnchorHTMLAttributes } from 'preact'

interface Props extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'class' | 'name'> {
  readonly name: string
  readonly class?: string
}

/** Letters at the end of a name that stay, however narrow it is: by them machines differ. */
const END = 6
const letters = new Intl.Segmenter()

const endOf = (name: string): string =>
  name.length <= 2 * END
    ? ''
    : [...letters.segment(name)]
        .slice(-END)
        .map(({ segment }) => segment)
        .join('')

/** A link with a name that is shortened in its middle where there is no room for it: `node-0097…rack-b`. */
export const NameLink = ({ name, class: look = '', ...rest }: Props) => {
  const end = endOf(name)
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a link supports it, and it has an address.
    <a class={`cut ${look}`} title={name} aria-label={name} {...(rest as object)}>
      <bdi>
        <span class="clip">{name.slice(0, name.length - end.length)}</span>
        <span>{end}</span>
      </bdi>
    </a>
  )
}
