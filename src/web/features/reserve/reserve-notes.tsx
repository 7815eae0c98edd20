import type { Sut } from '../../data/objects.ts'
import { formatWhen } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { usePeople } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Name, Note, RequestDetails } from '../../parts/show/note.tsx'
import type { Refused } from '../../service/api.ts'

export interface Reserved {
  readonly machine: string
  /** `until 14:00`, `on 8 dates`. */
  readonly when: string
}

export const ReservedNote = ({ machine, when, userId }: Reserved & { readonly userId: string }) => {
  const page = usePage()
  const people = usePeople()
  const isOwn = userId === meOf(page)._id
  const whose = isOwn ? (
    'is yours'
  ) : (
    <>
      is reserved for <bdi>{people.get(userId)?.name ?? userId}</bdi>
    </>
  )
  return (
    <Note kind="ok" action={isOwn && <Button label="Show reservation" look="small" href={linkTo('mine')} />}>
      <Name of={machine} /> {whose} {when}.
    </Note>
  )
}

/** Warns who is about to reserve a machine that is offline. */
export const OfflineNote = ({ sut, now }: { readonly sut: Sut; readonly now: number }) =>
  sut.monitoring.status === 'Offline' ? (
    <Note kind="warn">
      Offline since {formatWhen(Date.parse(sut.monitoring.last_updated), now)}. It may not answer.
    </Note>
  ) : undefined

interface Props {
  readonly refused: Refused
  readonly text: string
  /** Reserves it nevertheless, as administrators may beyond a quota. */
  readonly onBeyond: () => void
}

/** Why it was not booked. That another was faster is said with what is named instead. */
export const RefusalNote = ({ refused, text, onBeyond }: Props) => (
  <Note kind="danger">
    <div class="stack">
      <span>{text}</span>
      {refused.problem.code === 'quota_exceeded' && meOf(usePage()).role === 'administrator' && (
        <div>
          <Button label="Reserve beyond the quota" look="small" onClick={onBeyond} />
        </div>
      )}
      <RequestDetails refused={refused} />
    </div>
  </Note>
)
