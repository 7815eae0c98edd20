import type { VNode } from 'preact'
import type { Sut } from '../../data/objects.ts'
import { seriesRefusalText, takenDatesOf } from '../../features/series/series-refusals.ts'
import { formatDay, formatWhen } from '../../format/format.ts'
import { Icon } from '../../parts/icon.tsx'
import type { Refused } from '../../service/api.ts'
import { NothingBooked } from './nothing-booked.tsx'

interface Props {
  readonly sut: Sut
  readonly refused: Refused
  readonly nameOf: (userId: string) => string
  readonly anchor: () => Element | null
  readonly onSend: (isBeyondQuota?: boolean) => void
  readonly onBack: () => void
  readonly onClose: () => void
}

export const SeriesRefusal = ({ sut, refused, nameOf, ...props }: Props): VNode => {
  const dates = takenDatesOf(refused.problem)
  return (
    <NothingBooked
      {...props}
      refused={refused}
      title={`Reserve ${sut.name} weekly`}
      text={seriesRefusalText(refused.problem)}
    >
      {dates.length > 0 && (
        <ul class="dates" tabindex={0} aria-label="Dates that are taken">
          {dates.map(({ occurrence, userId, name, from, to, isTurnaround }) => (
            <li class="taken">
              <Icon name="warning" />
              <span class="num nowrap">{formatDay(occurrence)}</span>
              <span class="clip">
                <bdi>{name ?? nameOf(userId)}</bdi>, {formatWhen(from, occurrence)} – {formatWhen(to, occurrence)}
                {isTurnaround && ', turnaround'}
              </span>
            </li>
          ))}
        </ul>
      )}
    </NothingBooked>
  )
}
