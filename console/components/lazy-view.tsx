// A view that is loaded when it is first shown, because its libraries are heavy.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorNote, Loading } from "./feedback";

export function createLazyView(title: string, load: () => Promise<ComponentType>): ComponentType {
  return function LazyView() {
    const [View, setView] = useState<ComponentType | null>(null);
    const [isMissing, setMissing] = useState(false);
    useEffect(() => {
      load().then(
        (component) => setView(() => component),
        // A new version of the service has files of other names.
        () => setMissing(true),
      );
    }, []);
    if (View !== null) return <View />;
    return (
      <>
        <h1>{title}</h1>
        {isMissing ? (
          <ErrorNote
            message="This view could not be loaded. Check that the service runs and that you are online."
            retry={() => location.reload()}
          />
        ) : (
          <Loading what="the view" />
        )}
      </>
    );
  };
}
