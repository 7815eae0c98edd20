import type { ComponentChildren } from 'preact'
import { HoursMeter } from '../../features/people/hours.tsx'
import { type ListedUser, roleTextOf } from '../../features/people/user.ts'
import { formatDate } from '../../format/format.ts'
import { goTo, linkTo } from '../../page/location.ts'
import { initialsOf } from '../../parts/initials.ts'
import { Tag } from '../../parts/show/note.tsx'
import type { Order } from '../../parts/show/order.ts'
import { type Column, Table } from '../../parts/show/table.tsx'
import { type By, tagsOfScope, weekOf } from './people-list.ts'

const NONE = <span class="muted">–</span>

const Week = ({ user }: { readonly user: ListedUser }) => {
  if (user.role !== 'tester') return NONE
  const { text, isLimited } = weekOf(user)
  return (
    <span class="row">
      <HoursMeter used={user.used} />
      <span class="num">
        {text}
        {!isLimited && (
          <>
            {' '}
            <span class="muted">no limit</span>
          </>
        )}
      </span>
    </span>
  )
}

const Scope = ({ user: { role, scope } }: { readonly user: ListedUser }) => {
  if (role !== 'tester') return NONE
  if (scope === '') return <span class="muted">all machines</span>
  return <>{tagsOfScope(scope).flatMap((tag) => [<Tag key={tag} value={tag} />, ' '])}</>
}

const goneText = ({ removed_at, erased_at }: ListedUser): string | undefined => {
  if (erased_at !== undefined) return 'erased'
  return removed_at === undefined ? undefined : 'removed'
}

interface Props {
  readonly users: readonly ListedUser[]
  readonly ownId: string
  readonly openId: string | undefined
  readonly order: Order<By>
  readonly onOrder: (order: Order<By>) => void
  readonly children?: ComponentChildren
}

const columnsOf = (ownId: string, openId: string | undefined): readonly Column<ListedUser, By>[] => [
  {
    title: 'Name',
    by: 'name',
    width: '31%',
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
  { title: 'This week', by: 'week', width: '23%', class: 'clip', cell: (user) => <Week user={user} /> },
  {
    title: 'Open',
    width: '7%',
    by: 'open',
    isNumber: true,
    cell: ({ role, used }) => (role === 'tester' ? used.reservations : NONE),
  },
  { title: 'Scope', by: 'scope', width: '15%', class: 'tags clip', cell: (user) => <Scope user={user} /> },
  {
    title: 'Added',
    by: 'added',
    class: 'second',
    isNumber: true,
    cell: ({ created_at }) => formatDate(Date.parse(created_at)),
  },
]

export const PeopleTable = ({ users, ownId, openId, order, onOrder, children }: Props) => (
  <Table
    label="People"
    class="people"
    box="list"
    rows={users}
    keyOf={({ _id }) => _id}
    isWindowed
    columns={columnsOf(ownId, openId)}
    order={order}
    onOrder={onOrder}
    openKey={openId}
    onOpen={({ _id }) => goTo('people', _id)}
  >
    {children}
  </Table>
)
