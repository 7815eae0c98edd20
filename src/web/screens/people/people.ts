import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { readAll } from '../../live/lab.ts'
import { meOf, usePage } from '../../page/context.ts'
import { RETRY_AFTER, useReading } from '../../page/reading.ts'
import { Switch } from '../../parts/field.ts'
import { html } from '../../parts/html.ts'
import { FailedBlock } from '../../parts/state.ts'
import type { ListedUser } from '../../people/user.ts'
import { type Order, ordered } from './list.ts'
import { PeopleTable } from './table.ts'

const Skeleton = (): VNode => html`<div class="list" aria-busy="true">
  <span class="vh" role="status">Loading</span>
  ${Array.from({ length: 10 }, (_, n) => html`<div class="sk-row" key=${n}><span class="sk sk-name"></span></div>`)}
</div>`

/** Users, with what they have reserved this week, removed ones too if that is wanted. */
const useUsers = (isWithRemoved: boolean) => {
  const { api } = usePage()
  const removed = isWithRemoved ? '&removed=true' : ''
  return useReading(`users${removed}`, () => readAll<ListedUser>(api, `/api/user?include=used${removed}`, 'users'))
}

/** Who uses the lab: roles, quotas and how they are used, scopes. */
export const People = ({ id }: { readonly id: string | undefined }): VNode => {
  const ownId = meOf(usePage())._id
  const [isWithRemoved, setWithRemoved] = useState(false)
  const [order, setOrder] = useState<Order>({ by: 'name', isDescending: false })
  const { value, failed, retry } = useUsers(isWithRemoved)
  const users = useMemo(() => ordered(value ?? [], order), [value, order])
  const content = (): VNode => {
    if (value !== undefined)
      return html`<${PeopleTable} users=${users} ownId=${ownId} openId=${id} order=${order} onOrder=${setOrder} />`
    if (failed === undefined) return html`<${Skeleton} />`
    return html`<${FailedBlock} title="The people could not be loaded" failed=${failed} seconds=${RETRY_AFTER / 1_000} onRetry=${retry} />`
  }
  return html`<main class="main flush">
    <div class="bar"><h1>People</h1><span class="muted num">${value?.length}</span><span class="grow"></span>
      <${Switch} label="Removed too" className="small second" isOn=${isWithRemoved} onChange=${setWithRemoved} />
    </div>
    <div class="split">${content()}</div>
  </main>`
}
