import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { usePeople } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Name, Note } from '../../parts/show/note.tsx'

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
