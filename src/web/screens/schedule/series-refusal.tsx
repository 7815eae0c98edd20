import type { VNode } from 'preact'
import type { Sut } from '../../data/objects.ts'
import { seriesRefusalText, takenDatesOf } from '../../features/series/series-refusals.ts'
import { formatDay, formatWhen } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Note, RequestDetails } from '../../parts/show/note.tsx'
import type { Refused } from '../../service/api.ts'
import { Popover } from './popover.tsx'

interface Props {
  readonly sut: Sut
  readonly refused: Refused
  readonly nameOf: (userId: string) => string
  readonly anchor: () => Element | null
  readonly onSend: (isBeyondQuota?: boolean) => void
  readonly onBack: () => void
  readonly onClose: () => void
}

export const SeriesRefusal = ({ sut, refused, nameOf, anchor, onSend, onBack, onClose }: Props): VNode => {
  const me = meOf(usePage())
  const { code } = refused.problem
  const dates = takenDatesOf(refused.problem)
  return (
    <Popover title={`Reserve ${sut.name} weekly`} subtitle="Nothing was booked" anchor={anchor} onClose={onClose}>
      <div class="pop-body">
        <Note kind="danger" icon={dates.length > 0 ? 'lock' : 'warning'}>
          {seriesRefusalText(refused.problem)}
        </Note>
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
        <RequestDetails refused={refused} />
      </div>
      <div class="pop-foot">
        {code === 'quota_exceeded' && me.role === 'administrator' && (
          <Button label="Reserve beyond the quota" look="primary" onClick={() => onSend(true)} />
        )}
        {(refused.status === 0 || refused.status >= 500) && (
          <Button label="Try again" look="primary" onClick={() => onSend()} />
        )}
        <Button label="Back" onClick={onBack} />
      </div>
    </Popover>
  )
}
