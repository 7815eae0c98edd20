interface Props<K extends string> {
  readonly label: string
  readonly options: Readonly<Record<K, string>>
  readonly value: K
  readonly onChange: (value: K) => void
  readonly class?: string
}

export const Segments = <K extends string>({ label, options, value, onChange, class: place = '' }: Props<K>) => (
  <div class={`seg ${place}`} role="group" aria-label={label}>
    {(Object.entries(options) as [K, string][]).map(([key, text]) => (
      <button key={key} type="button" aria-pressed={key === value} onClick={() => onChange(key)}>
        {text}
      </button>
    ))}
  </div>
)
