[(block) (arms) (type_declaration) (record) (list) (array) (comment)] @fold
