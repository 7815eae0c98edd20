import type { Sut } from '../../data/objects.ts'
import { RequestCard } from '../../features/queue/card.tsx'
import type { Taken } from '../../features/schedule/calendar.ts'
import { draftAt } from '../../features/schedule/draft.ts'
import type { Queued } from '../../features/schedule/queued.ts'
import { draw } from '../../features/view/view.ts'
import { meOf, usePage } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { blockOf, Popover } from './popover.tsx'

interface Props {
  readonly sut: Sut
  readonly queued: Queued
  /** Where the request is drawn, in Unix milliseconds. */
  readonly at: number
  readonly taken: readonly Taken[]
}

export const RequestPopover = ({ sut, queued: { _id, userId, name }, at, taken }: Props) => {
  const page = usePage()
  const me = meOf(page)
  const title = userId === me._id ? 'You are waiting' : `${name} is waiting`
  const reserve = (): void => draw(draftAt(sut._id, at, taken, page.clock.peek()))
  return (
    <Popover
      title={title}
      subtitle={`At the next time ${sut.name} may be free`}
      anchor={() => blockOf(`queued ${_id}`)}
    >
      <div class="pop-body">
        <RequestCard id={_id} />
      </div>
      {me.role !== 'auditor' && (
        <div class="row pop-foot">
          <span class="grow" />
          <Button label="Reserve this time" onClick={reserve} />
        </div>
      )}
    </Popover>
  )
}
