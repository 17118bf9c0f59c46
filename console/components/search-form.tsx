// A field to search with. It reports the text on Enter.
import { useEffect, useState } from "preact/hooks";

type SearchFormProps = {
  label: string;
  placeholder: string;
  verb: string;
  query: string;
  search: (query: string) => void;
};

export function SearchForm({ label, placeholder, verb, query, search }: SearchFormProps) {
  const [text, setText] = useState(query);
  useEffect(() => setText(query), [query]);
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          search(text.trim());
        }}
      >
        <input
          type="search"
          aria-label={label}
          placeholder={placeholder}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" class="button button-primary">
          {verb}
        </button>
      </form>
    </search>
  );
}
