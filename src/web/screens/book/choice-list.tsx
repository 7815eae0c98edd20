import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { formatDuration } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Icon } from '../../parts/icon.tsx'
import { type Choice, spanOn, type Take } from './choices.ts'

interface Props {
  readonly choices: readonly Choice[]
  /** Milliseconds that are asked for. */
  readonly length: number
  /** The key of the chosen one. */
  readonly chosen: string | undefined
  readonly onChoose: (choice: Choice) => void
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }

/** A machine and when. Where that is not when it was asked for, it counts as much as the name. */
const Offered = ({ choice: { icon, offer }, now }: { readonly choice: Take; readonly now: number }): VNode => {
  const span = spanOn(offer.from, offer.to, now)
  return icon === 's-free' ? (
    <>
      <b class="clip">
        <bdi>{offer.name}</bdi>
      </b>{' '}
      <span class="nowrap">{span}</span>
    </>
  ) : (
    <>
      <b class="clip">
        <bdi>{offer.name}</bdi>,
      </b>{' '}
      <b class="nowrap">{span}</b>
    </>
  )
}

/** What can be had, one of which is chosen. */
export const ChoiceList = ({ choices, length, chosen, onChoose }: Props): VNode => {
  const now = usePage().clock.value
  const group = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = choices.findIndex(({ key }) => key === chosen)
    const next = choices[(at + (STEPS[event.key] ?? 0) + choices.length) % choices.length]
    if (STEPS[event.key] === undefined || next === undefined) return
    event.preventDefault()
    onChoose(next)
    requestAnimationFrame(() => group.current?.querySelector<HTMLElement>('[aria-checked=true]')?.focus())
  }
  return (
    <div class="choices" role="radiogroup" aria-labelledby="offer" ref={group} onKeyDown={onKeyDown}>
      {choices.map((choice) => {
        const { key, icon, hint } = choice
        const isChosen = key === chosen
        return (
          <button
            key={key}
            type="button"
            role="radio"
            aria-checked={isChosen}
            tabindex={isChosen ? 0 : -1}
            class={isChosen ? 'choice first' : 'choice'}
            onClick={() => onChoose(choice)}
          >
            <Icon name={icon} />
            {choice.kind === 'wait' ? (
              <b>Wait for one, {formatDuration(length)}</b>
            ) : (
              <Offered choice={choice} now={now} />
            )}{' '}
            <span class="muted nowrap">{hint}</span>
          </button>
        )
      })}
    </div>
  )
}
