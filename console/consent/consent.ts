// The script of the consent page, which works without it: offers the keys of the consoles that are signed in.
import { requestKeys } from "../state/share-key";

const field = document.querySelector<HTMLInputElement>("input[name=key]");
const list = document.querySelector<HTMLElement>("#console-keys");

if (field !== null && list !== null)
  requestKeys(({ key, tenant }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button-small";
    button.textContent = `Use the key of tenant ${tenant}`;
    button.addEventListener("click", () => {
      field.value = key;
      field.focus();
    });
    list.append(button);
    list.hidden = false;
  });
