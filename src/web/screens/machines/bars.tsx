import { useComputed } from '@preact/signals'
import type { VNode } from 'preact'
import type { Sut } from '../../data/objects.ts'
import { formatNumber } from '../../format/format.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { MenuChip } from '../../parts/menu.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { texts } from '../../parts/texts.ts'
import { tagsOf, toggled } from '../schedule/grid/filter.ts'
import { type Kind, type Row, summaryOf, toCsv } from './list.ts'
import { show, view } from './view.ts'

interface Props {
  readonly all: readonly Row[]
  readonly shown: readonly Row[]
  readonly isAdministrator: boolean
  readonly isAnswered: boolean
  readonly onAdd: () => void
  readonly onImport: () => void
}

/** What can be done with the list. */
export const TitleBar = ({ all, shown, isAdministrator, isAnswered, onAdd, onImport }: Props): VNode => {
  const download = (): void =>
    saveFile(new Blob([toCsv(shown.map(({ sut }) => sut))], { type: 'text/csv' }), 'machines.csv')
  const count =
    shown.length === all.length
      ? formatNumber(all.length)
      : `${formatNumber(shown.length)} of ${formatNumber(all.length)}`
  return (
    <div class="bar">
      <h1>{texts.screens.machines}</h1>
      <span class="muted num">{count}</span>
      <span class="grow" />
      <Button
        icon="download"
        look="quiet"
        class="desk-only"
        aria-label="Download the machines shown as CSV"
        title="Download the machines shown as CSV"
        disabled={shown.length === 0}
        onClick={download}
      >
        CSV
      </Button>
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
const TYPES = { vnc: 'VNC', rdp: 'RDP', tcp: 'TCP' } as const

const choicesOf = <K extends string>(names: Readonly<Record<K, string>>, chosen: ReadonlySet<string>) =>
  (Object.entries(names) as [K, string][]).map(([key, text]) => ({ key, text, isChosen: chosen.has(key) }))

/** Which machines are shown. */
export const FilterBar = ({ all }: Pick<Props, 'all'>): VNode => {
  const filter = useComputed(() => view.value.filter).value
  const tags = [...new Set(all.flatMap(({ sut }) => tagsOf(sut)))].sort()
  const tagChoices = tags.map((key) => ({ key, text: key.replace('=', ' '), isChosen: filter.tags.has(key) }))
  return (
    <div class="bar" role="search">
      <label class="input-icon filter-text wide">
        <span class="vh">Filter</span>
        <Icon name="search" />
        <input
          id="machines-filter"
          class="input"
          placeholder="Name, tag, person"
          maxlength={256}
          value={filter.text}
          onInput={({ target }: Event) => show({ text: (target as HTMLInputElement).value })}
        />
        <kbd>/</kbd>
      </label>
      <MenuChip
        label="State"
        isOn={filter.kinds.size > 0}
        choices={choicesOf(KINDS, filter.kinds)}
        isMultiple
        onChoose={(key: Kind) => show({ kinds: toggled(filter.kinds, key) })}
      />
      <MenuChip
        label="Type"
        isOn={filter.types.size > 0}
        choices={choicesOf(TYPES, filter.types)}
        isMultiple
        onChoose={(key: Sut['sut_type']) => show({ types: toggled(filter.types, key) })}
      />
      {tags.length > 0 && (
        <MenuChip
          label="Tags"
          isOn={filter.tags.size > 0}
          choices={tagChoices}
          isMultiple
          onChoose={(key: string) => show({ tags: toggled(filter.tags, key) })}
        />
      )}
      <button
        type="button"
        class="chip"
        aria-pressed={filter.kinds.has('off')}
        onClick={() => show({ kinds: toggled(filter.kinds, 'off') })}
      >
        Broken<span class="n num">{all.filter(({ state }) => state.kind === 'off').length}</span>
      </button>
      <span class="grow" />
      <span class="small muted desk-only">{summaryOf(all)}</span>
    </div>
  )
}
