// Form fields with their labels.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

type FieldProps = { label: string; value: string; change: (value: string) => void };

type TextFieldProps = FieldProps & { placeholder?: string; suggestions?: readonly string[] };

/** Reports the value when it is complete: on Enter, or when the field is left. */
export function TextField({ label, value, change, placeholder, suggestions = [] }: TextFieldProps) {
  const listId = useId();
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <input
        value={value}
        placeholder={placeholder}
        list={suggestions.length === 0 ? undefined : listId}
        onChange={({ currentTarget }) => change(currentTarget.value.trim())}
      />
      {suggestions.length > 0 && (
        <datalist id={listId}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </label>
  );
}

export function DateField({ label, value, change }: FieldProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <input type="date" value={value} onChange={({ currentTarget }) => change(currentTarget.value)} />
    </label>
  );
}

type SelectFieldProps = FieldProps & {
  options: readonly (string | readonly [value: string, text: string])[];
};

export function SelectField({ label, value, change, options }: SelectFieldProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <select value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {options.map((option) => {
          const [id, text] = typeof option === "string" ? [option, option.replaceAll("_", " ")] : option;
          return (
            <option key={id} value={id}>
              {text}
            </option>
          );
        })}
      </select>
    </label>
  );
}

/** A row of filters that folds on narrow screens. */
export function Filters({ count, children }: { count: number; children: ComponentChildren }) {
  return (
    <details class="filters" open={count > 0 || window.innerWidth > 900}>
      <summary>Filters{count > 0 && ` (${count})`}</summary>
      <div class="filters-fields">{children}</div>
    </details>
  );
}
