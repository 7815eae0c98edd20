import { HoursMeter } from '../../features/people/hours.tsx'
import { hoursTextOf, type ListedUser, roleTextOf } from '../../features/people/user.ts'
import { formatDate } from '../../format/format.ts'
import { linkTo } from '../../page/location.ts'
import { initialsOf } from '../../parts/initials.ts'
import { Tag } from '../../parts/show/note.tsx'
import type { Column } from '../../parts/show/table.tsx'
import { type By, tagsOfScope } from './people-list.ts'

const NONE = <span class="muted">–</span>

const weekOf = ({ role, used }: ListedUser) =>
  role !== 'tester' ? (
    NONE
  ) : (
    <span class="row">
      <HoursMeter used={used} />
      <span class="num clip">
        {hoursTextOf(used)}
        {(used.quota?.hours_per_week ?? null) === null && (
          <>
            {' '}
            <span class="muted">no limit</span>
          </>
        )}
      </span>
    </span>
  )

const scopeOf = ({ role, scope }: ListedUser) => {
  if (role !== 'tester') return NONE
  if (scope === '') return <span class="muted">all machines</span>
  return tagsOfScope(scope).flatMap((tag) => [<Tag key={tag} value={tag} />, ' '])
}

const goneText = ({ removed_at, erased_at }: ListedUser): string | undefined => {
  if (erased_at !== undefined) return 'erased'
  return removed_at === undefined ? undefined : 'removed'
}

export const columnsOf = (ownId: string, openId: string | undefined): readonly Column<ListedUser, By>[] => [
  {
    ...{ title: 'Name', by: 'name', width: '26%' },
    cell: (user, link) => {
      const [isMe, gone] = [user._id === ownId, goneText(user)]
      return (
        <span class="row">
          <span class={isMe ? 'avatar me' : 'avatar'} data-i={initialsOf(user.name)} aria-hidden="true" />
          <a
            class={gone === undefined ? 'medium plain clip' : 'second plain clip'}
            {...link}
            aria-current={user._id === openId ? 'true' : undefined}
            href={linkTo('people', user._id)}
          >
            <bdi>{user.name}</bdi>
          </a>
          {isMe && <Tag value="you" />}
          {gone !== undefined && <Tag value={gone} />}
        </span>
      )
    },
  },
  { title: 'Role', by: 'role', width: '14%', class: 'second clip', cell: ({ role }) => roleTextOf(role) },
  { title: 'This week', by: 'week', width: '24%', class: 'clip', cell: weekOf },
  {
    ...{ title: 'Open', by: 'open', width: '7%', isNumber: true },
    cell: ({ role, used }) => (role === 'tester' ? used.reservations : NONE),
  },
  { title: 'Scope', by: 'scope', width: '14%', class: 'tags clip', cell: scopeOf },
  {
    ...{ title: 'Added', by: 'added', class: 'second', isNumber: true },
    cell: ({ created_at }) => formatDate(Date.parse(created_at)),
  },
]
