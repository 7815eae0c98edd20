import { useComputed } from '@preact/signals'
import { useMemo, useState } from 'preact/hooks'
import { MachineChips } from '../../features/machines/filter-chips.tsx'
import { MachineDialog } from '../../features/machines/machine-dialog.tsx'
import { MachineImport } from '../../features/machines/machine-import.tsx'
import { STATES } from '../../features/machines/machine-state.ts'
import { NoMachines } from '../../features/machines/no-machines.tsx'
import { useUptimes } from '../../features/machines/use-uptimes.ts'
import type { Booked } from '../../features/schedule/calendar.ts'
import { spanOf } from '../../features/schedule/span.ts'
import { formatPart, HOUR } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { useFilterInAddress } from '../../page/use-filter.ts'
import { useMachines, usePersonName, useTimeline } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Chip } from '../../parts/choose/chip.tsx'
import { FilterChip } from '../../parts/choose/menu.tsx'
import { SearchField } from '../../parts/choose/search-field.tsx'
import { toggled } from '../../parts/choose/toggled.ts'
import { saveFile } from '../../parts/save-file.ts'
import { Table } from '../../parts/show/table.tsx'
import { NoMatch } from '../../parts/state.tsx'
import { blockOf, matches, NO_FILTER, ordered, type Row, rowOf, summaryOf, toCsv } from './machine-list.ts'
import { columnsOf } from './machine-table.tsx'
import { show, view } from './machines-view.ts'

const NONE: readonly Booked[] = []

const useRows = (now: number) => {
  const page = usePage()
  const [suts, nameOf] = [useMachines(), usePersonName()]
  const { bySut } = page.reservations.all.value
  const { filter, order } = view.value
  const ownId = meOf(page)._id
  return useMemo(() => {
    const all = [...suts.values()].map((sut) => rowOf(sut, bySut.get(sut._id) ?? NONE, now, ownId, nameOf))
    const matching = all.filter((row) => matches(row, filter))
    return { all, shown: ordered(matching, order) }
  }, [suts, bySut, nameOf, filter, order, now, ownId])
}

export const Machines = () => {
  const page = usePage()
  const isAdministrator = meOf(page).role === 'administrator'
  const now = page.minute.value
  const isAnswered = page.control.isAnswered.value
  const span = useMemo(() => spanOf('week', now), [Math.floor(now / HOUR)])
  const { onView, ...reading } = useTimeline(span)
  const { all, shown } = useRows(now)
  useFilterInAddress('machines', NO_FILTER, view.value.filter, show)
  const [open, setOpen] = useState<'add' | 'import' | undefined>(undefined)
  const [add, importFile] = [(): void => setOpen('add'), (): void => setOpen('import')]
  const close = (): void => setOpen(undefined)
  const [block, setBlock] = useState<readonly string[]>([])
  const day = useMemo(() => ({ from: now - 24 * HOUR, to: now }), [now])
  const uptimes = useUptimes(block, day)
  const onRows = (ids: readonly string[]): void => {
    const around = blockOf(shown, ids)
    if (around.join() !== block.join()) setBlock(around)
    onView(ids, around)
  }
  const download = (): void =>
    saveFile(new Blob([toCsv(shown.map(({ sut }) => sut))], { type: 'text/csv' }), 'machines.csv')
  const content = () => {
    if (all.length === 0)
      return (
        <NoMachines>
          {isAdministrator ? (
            <>
              <Button label="Add a machine" look="primary" onClick={add} />
              <Button label="Import a CSV file" onClick={importFile} />
            </>
          ) : undefined}
        </NoMachines>
      )
    if (shown.length === 0) return <NoMatch title="No machine matches" onClear={() => show(NO_FILTER)} />
    return (
      <Table
        {...{ label: 'Machines', class: 'machines', box: 'machines-in', isWindowed: true, onView: onRows }}
        rows={shown}
        keyOf={({ sut }) => sut._id}
        columns={columnsOf(now, uptimes, day)}
        order={view.value.order}
        onOrder={(order) => {
          view.value = { ...view.value, order }
        }}
      />
    )
  }
  return (
    <main class="main flush">
      <div class="row bar">
        <h1>Machines</h1>
        <span class="muted num">{formatPart(shown.length, all.length)}</span>
        <span class="grow" />
        <Button
          {...{ label: 'CSV', icon: 'download', look: 'quiet', class: 'desk-only', title: 'Download the list as CSV' }}
          aria-label="Download the list as CSV"
          disabled={shown.length === 0}
          onClick={download}
        />
        {isAdministrator && (
          <>
            <Button label="Import" look="quiet" disabled={!isAnswered} onClick={importFile} />
            <Button icon="plus" label="Add a machine" disabled={!isAnswered} onClick={add} />
          </>
        )}
      </div>
      <FilterBar all={all} />
      <Loaded reading={reading} what="The machines" class="machines-in" skeleton={14}>
        {content}
      </Loaded>
      {open === 'add' && <MachineDialog known={undefined} onClose={close} />}
      {open === 'import' && <MachineImport onClose={close} />}
    </main>
  )
}

const FilterBar = ({ all }: { readonly all: readonly Row[] }) => {
  const filter = useComputed(() => view.value.filter).value
  return (
    <div class="row bar" role="search">
      <SearchField
        class="filter-text wide"
        label="Filter"
        placeholder="Name, tag, person"
        shortcut="/"
        value={filter.text}
        onInput={(text) => show({ text })}
      />
      <FilterChip label="State" options={STATES} chosen={filter.kinds} onChange={(kinds) => show({ kinds })} />
      <MachineChips suts={all.map(({ sut }) => sut)} chosen={filter} onChange={show} />
      <Chip
        label="Broken"
        count={all.filter(({ state }) => state.kind === 'off').length}
        isOn={filter.kinds.has('off')}
        onPress={() => show({ kinds: toggled(filter.kinds, 'off') })}
      />
      <span class="grow" />
      <span class="small muted desk-only">{summaryOf(all)}</span>
    </div>
  )
}
