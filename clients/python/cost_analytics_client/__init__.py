"""A typed client of the Cost Analytics Service. `generated` has a module for each route, and a class for each schema."""

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO

from .generated.api.values import store_values_from_csv
from .generated.client import AuthenticatedClient
from .generated.models import Error, WriteResult
from .generated.types import File

if TYPE_CHECKING:
    from pandas import DataFrame
    from pyarrow import Table

__all__ = ["Refusal", "connect", "data_of", "frame", "items", "store_csv", "table"]

ARROW = "application/vnd.apache.arrow.stream"


class Refusal(Exception):
    """The service refused a request. The message says what was expected, what came, and what to do."""


def connect(url: str, key: str, timeout: float | None = 60) -> AuthenticatedClient:
    """Connects to a service with an API key. `url` has no path, and `timeout` is in seconds."""
    return AuthenticatedClient(
        base_url=url, token=key, prefix="", auth_header_name="X-API-Key", timeout=timeout
    )


def data_of(answer: Any) -> Any:
    """Returns the data of a success. Raises Refusal for any other answer."""
    return _success(answer).data


def items(sync: Callable[..., Any], *path: str, **parameters: Any) -> Iterator[Any]:
    """Iterates over all items of a list. `sync` is the function of its route, such as `list_metrics.sync`."""
    page = _success(sync(*path, **parameters))
    yield from page.data
    while page.next_cursor is not None:
        page = _success(sync(*path, **(parameters | {"cursor": page.next_cursor})))
        yield from page.data


def store_csv(
    client: AuthenticatedClient, metric_id: str, csv: bytes | BinaryIO
) -> WriteResult:
    """
    Creates or replaces values of a metric from a CSV, all or none, and returns the counts. `csv` is its bytes, or the file opened
    with `"rb"`, which is sent without being read into memory.
    """
    payload = BytesIO(csv) if isinstance(csv, bytes) else csv
    return data_of(store_values_from_csv.sync(metric_id, client=client, body=File(payload=payload)))


def table(client: AuthenticatedClient, path: str, **query: Any) -> "Table":
    """
    Returns the rows of a route that answers Arrow, such as `/api/v1/export/months`, with exact decimals. Needs the extra
    `frames`.
    """
    from pyarrow import ipc

    answer = client.get_httpx_client().get(path, params=query, headers={"Accept": ARROW})
    if answer.status_code != 200:
        raise Refusal(answer.json()["error"])
    return ipc.open_stream(answer.content).read_all()


def frame(client: AuthenticatedClient, path: str, **query: Any) -> "DataFrame":
    """
    Returns the same rows as a DataFrame to compute with: decimals are `float64`, days and instants are `datetime64`. Each
    number is the one that JSON has. If it must be exact, use `table`.
    """
    import pyarrow

    rows = table(client, path, **query)
    for at, field in enumerate(rows.schema):
        if pyarrow.types.is_decimal(field.type):
            # Each float is the nearest to its text. PyArrow's direct cast is often one place off.
            floats = rows.column(at).cast(pyarrow.string()).cast(pyarrow.float64())
            rows = rows.set_column(at, field.name, floats)
    return rows.to_pandas(date_as_object=False)


def _success(answer: Any) -> Any:
    if answer is None or isinstance(answer, Error):
        raise Refusal("the service did not answer as its document says" if answer is None else answer.error)
    return answer
