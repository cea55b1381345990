"""`ladder queue token`: secrets by which users of the web server show a right."""

from typing import Annotated

from ladder.cli.options import DEFAULT_DATABASE, Database, Json, argument, flag


def token(
    *,
    name: Annotated[str | None, argument("NAME", "Name of the user, shown as author.")] = None,
    read: Annotated[bool, flag("--read", "Let the user look at everything. The default.")] = False,
    submit: Annotated[
        bool, flag("--submit", "Let the user submit experiments, and change these, too.")
    ] = False,
    manage: Annotated[
        bool, flag("--manage", "Let the user change everybody's experiments, too.")
    ] = False,
    delete: Annotated[bool, flag("--delete", "Delete the token.")] = False,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Make a token for a user of `ladder serve`, and print it once; without NAME list all.

    Only a hash of the token is stored. A user who may submit programs may run them on the machines
    of the queue.
    """
    from db.records.tokens import Right
    from ladder.cli.database import open_store, open_to_read
    from ladder.cli.output import print_error, print_out, print_result, show_table
    from ladder.errors import UsageError
    from ladder.queue.tokens import create_token
    from reports.layout.format import to_json
    from reports.queue import print_tokens, token_document, tokens_document

    given = zip(Right, (read, submit, manage), strict=True)
    rights = [right for right, is_given in given if is_given]
    if len(rights) + delete > 1:
        raise UsageError("give one of --read, --submit, --manage and --delete")
    if name is None:
        if rights or delete:
            raise UsageError("NAME is missing: name the user of the token")
        with open_to_read(db) as store:
            show_table(store.tokens.all(), tokens_document, print_tokens, json=json)
        return 0
    with open_store(db, create=not delete) as store:
        if delete:
            store.tokens.delete(name)
            return print_result(
                name, lambda _: {"deleted": name}, "token {} is deleted".format, json=json
            )
        secret, row = create_token(store, name, rights[0] if rights else Right.READ)
    if json:
        print_out(to_json({**token_document(row), "token": secret}))
    else:
        print_out(secret)
        print_error(f"{name} may {row.right.value} with this token, which is not shown again")
    return 0
