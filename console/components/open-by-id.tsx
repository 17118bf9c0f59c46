// Opens an item whose id is known: a list of thousands is no way to find it.
import { navigate, toHref } from "../state/router";
import { SearchForm } from "./search-form";

export function OpenById({ view, what }: { view: string; what: string }) {
  return (
    <SearchForm
      label={`Open a ${what} by its id`}
      placeholder={`The id of a ${what}`}
      verb="Open"
      query=""
      search={(id) => {
        if (id !== "") navigate(toHref([view, id]));
      }}
    />
  );
}
