import { useComputed } from '@preact/signals'
import type { VNode } from 'preact'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { Icon } from '../../parts/icon.tsx'

/** What was reserved. */
export interface Reserved {
  readonly machine: string
  /** `until 14:00`, `on 8 dates`. */
  readonly when: string
}

/** That a machine was reserved: for whom, and when. */
export const ReservedNote = ({ machine, when, userId }: Reserved & { readonly userId: string }): VNode => {
  const page = usePage()
  const people = useComputed(() => page.lab.lab.value.people).value
  const isOwn = userId === meOf(page)._id
  const whose = isOwn ? (
    'is yours'
  ) : (
    <>
      is reserved for <bdi>{people.get(userId)?.name ?? userId}</bdi>
    </>
  )
  return (
    <div class="note ok" role="status">
      <Icon name="check" />
      <span class="grow">
        <b class="medium">
          <bdi>{machine}</bdi>
        </b>{' '}
        {whose} {when}.
      </span>
      {isOwn && (
        <a class="btn small" href={linkTo('mine')}>
          Open
        </a>
      )}
    </div>
  )
}
