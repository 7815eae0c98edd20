import { useState } from 'preact/hooks'
import { aboutOf, type Sut } from '../../data/objects.ts'
import { formatDuration, formatNumber } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { useMachines } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Radio } from '../../parts/choose/chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Choice, spanOn, type Take } from './choices.ts'

const FEW = 3

interface Props {
  readonly choices: readonly Choice[]
  /** Milliseconds that are asked for. */
  readonly length: number
  readonly chosen: string | undefined
  readonly onChoose: (choice: Choice) => void
}

/** A machine and when. Where that is not when it was asked for, it counts as much as the name. */
const Offered = ({ choice: { icon, offer }, now }: { readonly choice: Take; readonly now: number }) => {
  const isAsked = icon === 's-free'
  const span = spanOn(offer.from, offer.to, now)
  return (
    <>
      <b class="medium clip">
        <bdi>{offer.name}</bdi>
        {!isAsked && ','}
      </b>{' '}
      {isAsked ? <span class="nowrap">{span}</span> : <b class="medium nowrap">{span}</b>}
    </>
  )
}

export const ChoiceList = ({ choices, length, chosen, onChoose }: Props) => {
  const now = usePage().clock.value
  const machines = useMachines()
  const [isAll, setAll] = useState(false)
  const shown = choices.filter(({ key }, n) => isAll || n < FEW || key === chosen)
  const aboutMachine = (sut: Sut | undefined): string | undefined => sut && aboutOf(sut)
  return (
    <div class="stack choices" role="radiogroup" aria-labelledby="offer">
      {shown.map((choice) => {
        const isChosen = choice.key === chosen
        return (
          <Radio
            key={choice.key}
            name="offer"
            class={isChosen ? 'row num choice first' : 'row num choice'}
            isChosen={isChosen}
            onChoose={() => onChoose(choice)}
          >
            <Icon name={choice.icon} />
            {choice.kind === 'wait' ? (
              <b class="medium">Wait for one, {formatDuration(length)}</b>
            ) : (
              <Offered choice={choice} now={now} />
            )}{' '}
            <span class="small muted nowrap">{choice.hint}</span>
            {choice.kind === 'take' && (
              <bdi class="about small muted clip">{aboutMachine(machines.get(choice.offer.sutId))}</bdi>
            )}
          </Radio>
        )
      })}
      {shown.length < choices.length && (
        <Button look="quiet small" onClick={() => setAll(true)}>
          {formatNumber(choices.length - shown.length)} more
        </Button>
      )}
    </div>
  )
}
