import type { ComponentChildren } from 'preact'

interface Props {
  /** That of all of which one is chosen. */
  readonly name: string
  readonly isChosen: boolean
  /** How its label looks: `chip`, `choice`. */
  readonly class: string
  readonly onChoose: () => void
  readonly children: ComponentChildren
}

export const Radio = ({ name, isChosen, class: look, onChoose, children }: Props) => (
  <label class={`radio ${look}`}>
    <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
    {children}
  </label>
)
