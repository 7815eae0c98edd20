import { useState } from 'preact/hooks'
import { Field, Input } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { parseTag, type Values } from './machine-values.ts'

interface Props {
  readonly tags: Values['tags']
  readonly error: string | undefined
  readonly onChange: (tags: Values['tags']) => void
}

export const TagsField = ({ tags, error, onChange }: Props) => {
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  const add = (): boolean => {
    if (text.trim() === '') return true
    const tag = parseTag(text)
    setWrong(tag === undefined)
    if (tag === undefined) return false
    setText('')
    onChange({ ...tags, [tag[0]]: tag[1] })
    return true
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const isDone = event.key === 'Enter' || event.key === ','
    if (!isDone || text.trim() === '') return
    event.preventDefault()
    add()
  }
  const remove = (name: string): void => {
    const { [name]: _, ...left } = tags
    onChange(left)
    document.getElementById('machine-tag')?.focus()
  }
  const shown =
    error ??
    (isWrong ? 'Write a tag as name=value. Names have letters, digits, dots, dashes and underscores.' : undefined)
  return (
    <Field id="machine-tag" label="Tags" error={shown}>
      <div class="chips tags-in">
        {Object.entries(tags).map(([name, value]) => (
          <span key={name} class="tag of-form">
            <bdi class="clip">
              {name}={value}
            </bdi>
            <button type="button" class="fold" aria-label={`Remove ${name}=${value}`} onClick={() => remove(name)}>
              <Icon name="x" />
            </button>
          </span>
        ))}
        <Input
          {...{ id: 'machine-tag', value: text, placeholder: 'name=value', maxlength: 330 }}
          aria-invalid={isWrong}
          onInput={setText}
          onKeyDown={onKeyDown}
          onBlur={add}
        />
      </div>
    </Field>
  )
}
