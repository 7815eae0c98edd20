import type { VNode } from 'preact'
import { formatDuration } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Radio } from '../../parts/choose/radio.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Choice, spanOn, type Take } from './choices.ts'

interface Props {
  readonly choices: readonly Choice[]
  /** Milliseconds that are asked for. */
  readonly length: number
  readonly chosen: string | undefined
  readonly onChoose: (choice: Choice) => void
}

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

export const ChoiceList = ({ choices, length, chosen, onChoose }: Props): VNode => {
  const now = usePage().clock.value
  return (
    <div class="choices" role="radiogroup" aria-labelledby="offer">
      {choices.map((choice) => {
        const isChosen = choice.key === chosen
        return (
          <Radio
            key={choice.key}
            name="offer"
            class={isChosen ? 'choice first' : 'choice'}
            isChosen={isChosen}
            onChoose={() => onChoose(choice)}
          >
            <Icon name={choice.icon} />
            {choice.kind === 'wait' ? (
              <b>Wait for one, {formatDuration(length)}</b>
            ) : (
              <Offered choice={choice} now={now} />
            )}{' '}
            <span class="muted nowrap">{choice.hint}</span>
          </Radio>
        )
      })}
    </div>
  )
}
