/** Brings a page of the guide to life: search, copy buttons, chapters behind a button on phones. */

import { render } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { SearchField } from '../parts/choose/search-field.tsx'
import { useOptions } from '../parts/choose/use-options.ts'
import { CopyButton } from '../parts/copy.tsx'
import { Status } from '../parts/show/note.tsx'
import { find, type Section } from './search.ts'
import { openTop } from './top.tsx'

let read: Promise<readonly Section[]> | undefined

const readSections = (): Promise<readonly Section[]> => {
  read ??= fetch('/guide/search.json', { credentials: 'omit' })
    .then((answer) => answer.json())
    .then(({ sections }) => sections)
  return read.catch(() => {
    read = undefined
    return []
  })
}

/** The combobox pattern of the ARIA Authoring Practices: the list is below, arrows move, Enter goes there. */
const Search = () => {
  /** Undefined while nothing is sought. */
  const [sections, setSections] = useState<readonly Section[] | undefined>(undefined)
  const found = sections ?? []
  const isNone = sections?.length === 0
  const input = useRef<HTMLInputElement>(null)
  const take = (n: number): void => {
    const section = found[n]
    if (section !== undefined) location.assign(section.address)
  }
  const close = (): void => setSections(undefined)
  const { reset, field, option } = useOptions({ id: 'found', count: found.length, first: -1, take, close })
  const onInput = async (typed: string): Promise<void> => {
    const all = await readSections()
    // More may have been typed meanwhile.
    if (typed !== input.current?.value) return
    setSections(typed.trim() === '' ? undefined : find(all, typed))
    reset()
  }
  return (
    <div class="grow search" role="search">
      <SearchField {...field} ref={input} label="Search the guide" onFocus={readSections} onInput={onInput} />
      <div class={found.length > 0 ? 'pop found' : 'vh'} id="found" role="listbox" aria-label="Results">
        {found.map(({ address, chapter, heading }, n) => (
          <a key={address} {...option(n)} href={address} onClick={close}>
            <b>{heading}</b>
            {heading !== chapter && <span class="muted small">{chapter}</span>}
          </a>
        ))}
      </div>
      <Status class={isNone ? 'pop found' : 'vh'}>{isNone && 'No results.'}</Status>
    </div>
  )
}

openTop()

const chapters = document.getElementById('chapters')
if (chapters !== null) {
  const root = document.createElement('div')
  chapters.before(root)
  const Bar = () => {
    const [isOpen, setOpen] = useState(false)
    chapters.classList.toggle('open', isOpen)
    return (
      <div class="row guide-bar">
        <Search />
        <Button class="phone-only" aria-expanded={isOpen} aria-controls="chapters" onClick={() => setOpen(!isOpen)}>
          Chapters
        </Button>
      </div>
    )
  }
  render(<Bar />, root)
}

for (const code of document.querySelectorAll('pre')) {
  const button = document.createElement('div')
  button.className = 'copy'
  const frame = document.createElement('div')
  frame.className = 'code'
  code.replaceWith(frame)
  frame.append(code, button)
  render(<CopyButton text={code.textContent ?? ''} label="Copy" />, button)
}
