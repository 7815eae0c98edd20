import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { HoursMeter } from '../../features/people/hours.tsx'
import { type ListedUser, roleTextOf } from '../../features/people/user.ts'
import { formatDate } from '../../format/format.ts'
import { goTo, linkTo } from '../../page/location.ts'
import { Icon } from '../../parts/icon.tsx'
import { initialsOf } from '../../parts/initials.ts'
import { type Column, type Order, tagsOfScope, weekOf } from './people-list.ts'

interface HeadProps {
  readonly column: Column
  readonly text: string
  readonly order: Order
  readonly onOrder: (order: Order) => void
  readonly className?: string
}

const Head = ({ column, text, order, onOrder, className = '' }: HeadProps): VNode => {
  const isBy = order.by === column
  const sort = (): void => onOrder({ by: column, isDescending: isBy && !order.isDescending })
  return (
    <th class={className} aria-sort={isBy ? (order.isDescending ? 'descending' : 'ascending') : undefined}>
      <button type="button" class="sort" onClick={sort}>
        {text}
        {isBy && <Icon name={order.isDescending ? 'down' : 'up'} />}
      </button>
    </th>
  )
}

const None = (): VNode => <span class="muted">–</span>

const Week = ({ user }: { readonly user: ListedUser }): VNode => {
  if (user.role !== 'tester') return <None />
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

const Scope = ({ user: { role, scope } }: { readonly user: ListedUser }): VNode => {
  if (role !== 'tester') return <None />
  if (scope === '') return <span class="muted">all machines</span>
  return (
    <>
      {tagsOfScope(scope).map((tag) => (
        <>
          <span key={tag} class="tag">
            <bdi>{tag}</bdi>
          </span>{' '}
        </>
      ))}
    </>
  )
}

const goneText = ({ removed_at, erased_at }: ListedUser): string | undefined => {
  if (erased_at !== undefined) return 'erased'
  return removed_at === undefined ? undefined : 'removed'
}

interface RowProps {
  readonly user: ListedUser
  readonly index: number
  readonly isMe: boolean
  readonly isOpen: boolean
  readonly isStop: boolean
}

const Row = ({ user, index, isMe, isOpen, isStop }: RowProps): VNode => {
  const gone = goneText(user)
  // A click anywhere in the row is one on its link.
  const open = (event: MouseEvent): void => {
    if (!(event.target as HTMLElement).closest('a') && getSelection()?.type !== 'Range') goTo('people', user._id)
  }
  return (
    <tr class={isOpen ? 'is-open' : undefined} onClick={open}>
      <td>
        <span class="row">
          <span class={isMe ? 'avatar me' : 'avatar'} data-i={initialsOf(user.name)} aria-hidden="true" />
          <a
            class={gone === undefined ? 'medium plain clip' : 'second plain clip'}
            data-row={index}
            tabindex={isStop ? 0 : -1}
            aria-current={isOpen ? 'true' : undefined}
            href={linkTo('people', user._id)}
          >
            <bdi>{user.name}</bdi>
          </a>
          {isMe && <span class="tag">you</span>}
          {gone !== undefined && <span class="tag">{gone}</span>}
        </span>
      </td>
      <td class="second">{roleTextOf(user.role)}</td>
      <td>
        <Week user={user} />
      </td>
      <td class="r">{user.role === 'tester' ? user.used.reservations : <None />}</td>
      <td class="tags">
        <Scope user={user} />
      </td>
      <td class="r second">{formatDate(Date.parse(user.created_at))}</td>
    </tr>
  )
}

interface Props {
  readonly users: readonly ListedUser[]
  readonly ownId: string
  readonly openId: string | undefined
  readonly order: Order
  readonly onOrder: (order: Order) => void
  readonly children?: ComponentChildren
}

export const PeopleTable = ({ users, ownId, openId, order, onOrder, children }: Props): VNode => {
  const list = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(0)
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = Number((event.target as HTMLElement).dataset.row ?? Number.NaN)
    if (!Number.isInteger(from)) return
    const to = {
      ...{ ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + 10, PageUp: from - 10 },
      ...{ Home: 0, End: users.length - 1 },
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const row = Math.min(Math.max(to, 0), users.length - 1)
    setAt(row)
    list.current?.querySelector<HTMLElement>(`[data-row="${row}"]`)?.focus()
  }
  // The focus returns to whom it left.
  const last = useRef(openId)
  useLayoutEffect(() => {
    const index = users.findIndex(({ _id }) => _id === (openId ?? last.current))
    if (index >= 0) setAt(index)
    if (openId === undefined && last.current !== undefined)
      list.current?.querySelector<HTMLElement>(`[data-row="${Math.max(index, 0)}"]`)?.focus()
    last.current = openId
  }, [openId])
  const stop = Math.min(at, users.length - 1)
  const head = { order, onOrder }
  return (
    <div class="list" ref={list} tabindex={-1} role="region" aria-label="People">
      <table class="table people" onKeyDown={onKeyDown}>
        <thead>
          <tr>
            <Head column="name" text="Name" {...head} />
            <Head column="role" text="Role" {...head} />
            <Head column="week" text="This week" {...head} />
            <Head column="open" text="Open" className="r" {...head} />
            <Head column="scope" text="Scope" {...head} />
            <Head column="added" text="Added" className="r" {...head} />
          </tr>
        </thead>
        <tbody>
          {users.map((user, index) => (
            <Row
              key={user._id}
              user={user}
              index={index}
              isMe={user._id === ownId}
              isOpen={user._id === openId}
              isStop={index === stop}
            />
          ))}
        </tbody>
      </table>
      {children}
    </div>
  )
}
