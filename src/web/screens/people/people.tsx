import { useMemo, useState } from 'preact/hooks'
import { readAll } from '../../data/lists.ts'
import type { About } from '../../data/query.ts'
import { AddDialog } from '../../features/people/add-dialog.tsx'
import type { ListedUser } from '../../features/people/user.ts'
import { formatPart } from '../../format/format.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { fromParameters, goTo } from '../../page/location.ts'
import { useFilterInAddress } from '../../page/use-filter.ts'
import { Button } from '../../parts/button.tsx'
import { SearchField } from '../../parts/choose/search-field.tsx'
import { Switch } from '../../parts/field.tsx'
import type { Order } from '../../parts/show/order.ts'
import { Table } from '../../parts/show/table.tsx'
import { NoMatch, StateBlock } from '../../parts/state.tsx'
import { Drawer } from './drawer.tsx'
import { PeopleImport } from './people-import.tsx'
import { type By, matching, NO_FILTER, ordered } from './people-list.ts'
import { columnsOf } from './people-table.tsx'

const HOURS = 'hours'
/** The hours that people have reserved are counted again some time later. */
const USERS: About = {
  of: ({ kind, _id }) => (kind === 'user' ? _id : kind === 'sut_reservation' ? HOURS : undefined),
  isInView: (id) => id !== HOURS,
}

const useUsers = (isWithRemoved: boolean) => {
  const removed = isWithRemoved ? '&removed=true' : ''
  return useReading({
    ...{ key: `users${removed}`, family: 'users', isKept: true, ...USERS },
    read: (source) => readAll<ListedUser>(source, `/api/user?include=used${removed}`, 'users'),
  })
}

export const People = ({ id }: { readonly id: string | undefined }) => {
  const page = usePage()
  const ownId = meOf(page)._id
  const isAnswered = page.control.isAnswered.value
  const [isWithRemoved, setWithRemoved] = useState(false)
  const [order, setOrder] = useState<Order<By>>({ by: 'name', isDescending: false })
  const [open, setOpen] = useState<'add' | 'import' | undefined>(undefined)
  const [add, importFile] = [(): void => setOpen('add'), (): void => setOpen('import')]
  const close = (): void => setOpen(undefined)
  const reading = useUsers(isWithRemoved)
  const { value, retry } = reading
  const [filter, setFilter] = useState(() => fromParameters(NO_FILTER, page.place.value.parameters))
  useFilterInAddress('people', NO_FILTER, filter, setFilter)
  const all = useMemo(() => ordered(value ?? [], order), [value, order])
  const users = useMemo(() => matching(all, filter), [all, filter])
  return (
    <main class={id === undefined ? 'main flush' : 'main flush has-drawer'}>
      <div class="row bar">
        <h1>People</h1>
        <span class="muted num">{value && formatPart(users.length, value.length)}</span>
        <span class="grow" />
        <Switch
          label="Show removed"
          className="small second desk-only"
          isOn={isWithRemoved}
          onChange={setWithRemoved}
        />
        <Button label="Import" look="quiet" disabled={!isAnswered} onClick={importFile} />
        <Button icon="plus" label="Add a person" disabled={!isAnswered} onClick={add} />
      </div>
      <div class="row bar" role="search">
        <SearchField
          class="filter-text wide"
          label="Filter"
          placeholder="Name, role, scope"
          shortcut="/"
          value={filter.text}
          onInput={(text) => setFilter({ text })}
        />
      </div>
      <div class="split">
        <Loaded reading={reading} what="The people" class="list" skeleton={10}>
          {({ length }) => (
            <Table
              {...{ label: 'People', class: 'people', box: 'list', isWindowed: true, order, onOrder: setOrder }}
              rows={users}
              keyOf={({ _id }) => _id}
              columns={columnsOf(ownId, id)}
              openKey={id}
              onOpen={({ _id }) => goTo('people', _id)}
            >
              {length === 1 && !isWithRemoved && (
                <StateBlock
                  icon="users"
                  title="Nobody else yet"
                  text="Testers reserve machines, auditors read everything. Single sign-on adds people automatically."
                >
                  <Button label="Add a person" look="primary" disabled={!isAnswered} onClick={add} />
                  <Button label="Import a CSV file" disabled={!isAnswered} onClick={importFile} />
                </StateBlock>
              )}
              {users.length === 0 && <NoMatch title="Nobody matches" onClear={() => setFilter(NO_FILTER)} />}
            </Table>
          )}
        </Loaded>
        {id !== undefined && (
          <Drawer key={id} id={id} used={value?.find(({ _id }) => _id === id)?.used} onChanged={retry} />
        )}
      </div>
      {open === 'add' && <AddDialog onAdded={retry} onClose={close} />}
      {open === 'import' && <PeopleImport onAdded={retry} onClose={close} />}
    </main>
  )
}
