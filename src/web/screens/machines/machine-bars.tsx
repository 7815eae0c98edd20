import { useComputed } from '@preact/signals'
import { MachineChips } from '../../features/machines/filter-chips.tsx'
import { formatNumber } from '../../format/format.ts'
import { Button } from '../../parts/button.tsx'
import { Chip } from '../../parts/choose/chip.tsx'
import { FilterChip } from '../../parts/choose/menu.tsx'
import { SearchField } from '../../parts/choose/search-field.tsx'
import { toggled } from '../../parts/choose/toggled.ts'
import { saveFile } from '../../parts/save-file.ts'
import { type Row, summaryOf, toCsv } from './machine-list.ts'
import { show, view } from './machines-view.ts'

interface Props {
  readonly all: readonly Row[]
  readonly shown: readonly Row[]
  readonly isAdministrator: boolean
  readonly isAnswered: boolean
  readonly onAdd: () => void
  readonly onImport: () => void
}

export const TitleBar = ({ all, shown, isAdministrator, isAnswered, onAdd, onImport }: Props) => {
  const download = (): void =>
    saveFile(new Blob([toCsv(shown.map(({ sut }) => sut))], { type: 'text/csv' }), 'machines.csv')
  const count =
    shown.length === all.length
      ? formatNumber(all.length)
      : `${formatNumber(shown.length)} of ${formatNumber(all.length)}`
  return (
    <div class="row bar">
      <h1>Machines</h1>
      <span class="muted num">{count}</span>
      <span class="grow" />
      <Button
        label="CSV"
        icon="download"
        look="quiet"
        class="desk-only"
        aria-label="Download the list as CSV"
        title="Download the list as CSV"
        disabled={shown.length === 0}
        onClick={download}
      />
      {isAdministrator && (
        <>
          <Button label="Import" look="quiet" disabled={!isAnswered} onClick={onImport} />
          <Button icon="plus" label="Add a machine" disabled={!isAnswered} onClick={onAdd} />
        </>
      )}
    </div>
  )
}

const KINDS = {
  free: 'Free',
  turn: 'Turnaround',
  used: 'In use',
  own: 'Yours',
  off: 'Offline',
  inactive: 'Inactive',
} as const

export const FilterBar = ({ all }: Pick<Props, 'all'>) => {
  const filter = useComputed(() => view.value.filter).value
  return (
    <div class="row bar" role="search">
      <SearchField
        id="machines-filter"
        class="filter-text wide"
        label="Filter"
        placeholder="Name, tag, person"
        shortcut="/"
        value={filter.text}
        onInput={(text) => show({ text })}
      />
      <FilterChip label="State" options={KINDS} chosen={filter.kinds} onChange={(kinds) => show({ kinds })} />
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
